// The tab of an area selection: what late frames in it lost, by cause.

import type {Frames} from './frames';
import type {Actions} from './panel';
import {type AreaSelection, type AreaSelectionTab, type Children, m, quietly, type Trace} from './perfetto';
import {milliseconds, percent} from './pieces';
import {style} from './style';
import {byCause, type Cause} from './sums';

export function areaTab(trace: Trace, frames: Frames, actions: Actions): AreaSelectionTab {
  let of: AreaSelection | undefined;
  let causes: Cause[] | undefined;
  let count = 0;
  return {
    id: 'org.openharmony.Frames#area',
    name: 'Lost time',
    priority: -10,
    render(selection) {
      const processes = new Set(
        selection.tracks.flatMap((t) => frames.upidOf(t.tags?.trackIds ?? []) ?? []),
      );
      if (processes.size === 0) return undefined;
      if (of !== selection) {
        of = selection;
        causes = undefined;
        const late = frames.late.filter((f) => processes.has(f.upid) && f.ts < selection.end && f.ts + f.dur > selection.start);
        count = late.length;
        quietly(
          frames.shares(late).then((shares) => {
            if (of !== selection) return;
            causes = byCause(shares);
            trace.raf.scheduleFullRedraw();
          }),
        );
      }
      return {isLoading: causes === undefined, content: causes === undefined ? undefined : table(causes, count, actions)};
    },
  };
}

function table(causes: readonly Cause[], count: number, actions: Actions): Children {
  const total = causes.reduce((ns, c) => ns + c.ns, 0);
  return m(
    '.ohf',
    m('style', style),
    m(
      '.ohf-head',
      m('h1', count === 0 ? 'No frame was late here' : `${count} late ${count === 1 ? 'frame' : 'frames'}`),
      total > 0 && m('span.ohf-late', `${milliseconds(total)} lost`),
    ),
    causes.length > 0 &&
      m('table', [
        m('tr', m('th.ohf-number', 'Lost'), m('th.ohf-number', 'Share'), m('th.ohf-number', 'Frames'), m('th', 'Cause'), m('th'), m('th', 'Advice')),
        causes.map((c) =>
          m(
            'tr',
            m('td.ohf-number', milliseconds(c.ns)),
            m('td.ohf-number', percent(c.ns, total)),
            m('td.ohf-number', String(c.frames)),
            m('td', c.title),
            m('td.ohf-short', m('button.ohf-link', {onclick: () => actions.select(c.worst)}, 'worst')),
            m('td.ohf-muted', c.advice),
          ),
        ),
      ]),
  );
}
