// The tab "Why late?": why the selected frame was late, or a list of the worst frames.

import type {Frame, Frames} from './frames';
import {type Late, rankOf, worst} from './next';
import {type Children, m} from './perfetto';
import {colourOf, kinds, milliseconds, parts, textOn} from './pieces';
import {style} from './style';
import {largest} from './sums';

// Actions are what links of the panel do.
export interface Actions {
  select(slice: number): void;
  step(forward: boolean): void;
  flame(frame: Frame): void;
}

// Below this share of the bar, a part cannot be pointed at.
const least = 0.004;
// Below this share, a label does not fit.
const labelled = 0.05;
// Threads that were waited for by less than this share of the time are not listed, nor causes
// that cost less than this share of what was lost.
const noticed = 0.01;
const listed = 10; // frames

export function noFrames(): Children {
  return m('.ohf', m('style', style), m('p', 'No OpenHarmony frames in this trace.'));
}

// worstFrames shows links to the frames that missed their deadlines by most.
export function worstFrames(frames: Frames, actions: Actions, message: string): Children {
  const {late} = frames;
  const list = worst(late, listed);
  return m(
    '.ohf',
    m('style', style),
    m(
      '.ohf-head',
      m('h1', late.length === 0 ? 'No frame was late' : `${late.length} late ${late.length === 1 ? 'frame' : 'frames'}`),
      m('span.ohf-muted', late.length > listed ? `the worst ${listed}:` : ''),
      late.length > 0 && buttons(actions, message),
    ),
    late.length > 0 &&
      m('table', [
        m('tr', m('th.ohf-number', 'Late by'), m('th.ohf-short', 'Frame'), m('th', 'Process'), m('th', 'Cause')),
        list.map((f) => m('tr', m('td.ohf-number', milliseconds(f.overrun)), m('td.ohf-short', link(f.vsync, f.id, actions)), m('td', processOf(f)), m('td', f.cause))),
      ]),
  );
}

// theFrame shows a frame.
export function theFrame(frame: Frame, late: readonly Late[], actions: Actions, message: string): Children {
  const {facts} = frame;
  const overrun = Number(facts.get('overrun_ms') ?? NaN) * 1e6;
  const own = late.find((f) => f.id === frame.id);
  const rank = own === undefined ? 0 : rankOf(late, own);
  return m(
    '.ohf',
    m('style', style),
    m(
      '.ohf-head',
      m('h1', link(`Frame ${facts.get('vsync_id') ?? ''}`, frame.id, actions)),
      overrun > 0 ? m('span.ohf-late', `${milliseconds(overrun)} late`) : m('span.ohf-good', 'on time'),
      m('span', processOf(frame)),
      facts.get('tid') !== undefined && m('span.ohf-muted', `thread ${facts.get('tid')}`),
      rank > 0 && m('span.ohf-muted', rank === 1 ? `the worst of ${late.length}` : `number ${rank} of ${late.length} by lost time`),
      frame.sampled && m('button', {title: 'What its thread ran', onclick: () => actions.flame(frame)}, `Flame graph of ${frame.sampled.samples} samples`),
      late.length > 0 && buttons(actions, message),
    ),
    overrun > 0 ? why(frame, overrun, actions) : onTime(frame),
  );
}

function onTime({ts, dur, facts}: Frame): Children {
  const deadline = facts.get('deadline_ts');
  const shown = facts.get('shown_late_ms');
  const taken = facts.get('picked_up_late_ms');
  const lateBy = (ms: string, what: string, cause: string | undefined) =>
    m('p', `But it was ${what} ${milliseconds(Number(ms) * 1e6)} late${cause ? `: ${cause}` : ''}.`);
  return [
    deadline !== undefined && /^\d+$/.test(deadline) && BigInt(deadline) >= ts + dur
      ? m('p', `Its thread was ready ${milliseconds(Number(BigInt(deadline) - ts - dur))} before the deadline.`)
      : undefined,
    shown !== undefined && lateBy(shown, 'shown', facts.get('shown_late_cause')),
    taken !== undefined && lateBy(taken, 'picked up', facts.get('picked_up_late_cause') ?? facts.get('picked_up_late_reason')),
  ];
}

function why(frame: Frame, overrun: number, actions: Actions): Children {
  const {facts, pieces} = frame;
  const cause = facts.get('cause');
  const advice = facts.get('advice');
  const confidence = facts.get('confidence');
  const culprit = facts.get('culprit');
  const sum = kinds(pieces);
  const total = sum.reduce((ns, k) => ns + k.ns, 0);
  const waitedFor = frame.waitedFor.filter((w) => Number(w.dur) >= noticed * total);
  return [
    m(
      'p.ohf-cause',
      cause ?? 'The cause is unknown.',
      confidence !== undefined && m('span.ohf-muted', ` (confidence: ${confidence})`),
    ),
    advice !== undefined && m('p.ohf-advice', advice),
    culprit !== undefined && waitedFor.length === 0 && m('p', `It waited for ${culprit}.`),
    pieces.length > 0 && [
      m('h2', `From when it should have begun: ${milliseconds(total)}`),
      m(
        '.ohf-bar',
        parts(pieces, least, labelled).map((p) =>
          m(
            `button${p.share < labelled ? '.ohf-thin' : ''}`,
            {
              style: {width: `${100 * p.share}%`, background: colourOf(p.kind), color: textOn(colourOf(p.kind))},
              title: `${p.name}: ${milliseconds(p.ns)}`,
              'aria-label': `${p.name}: ${milliseconds(p.ns)}`,
              onclick: () => actions.select(p.id),
            },
            p.share < labelled ? undefined : `${milliseconds(p.ns)} ${p.name}`,
          ),
        ),
      ),
      m(
        'ul.ohf-legend',
        sum.map(({kind, ns}) => m('li', m('span.ohf-chip', {style: {background: colourOf(kind)}}), `${kind} ${milliseconds(ns)}`)),
      ),
    ],
    waitedFor.length > 0 && [
      m('h2', 'It waited for'),
      m(
        'table',
        waitedFor.slice(0, listed).map((w) => m('tr', m('td.ohf-number', milliseconds(Number(w.dur))), m('td', link(w.name, w.id, actions)))),
        waitedFor.length > listed && m('tr', m('td'), m('td.ohf-muted', `and ${waitedFor.length - listed} more, on the track Waited for`)),
      ),
    ],
    causes(frame, overrun),
  ];
}

// causes lists all causes, if there are several.
function causes({facts}: Frame, overrun: number): Children {
  const all = [];
  for (let i = 0; facts.has(`causes[${i}].title`); i++) {
    const fact = (name: string) => facts.get(`causes[${i}].${name}`) ?? '';
    all.push({ns: Number(fact('share_ns')), title: fact('title'), culprit: fact('culprit'), advice: fact('advice')});
  }
  const {shown, count, rest} = largest(all, overrun, noticed);
  return all.length > 1 && [
    m('h2', 'All causes, by lost time'),
    m(
      'table',
      shown.map((c) => m('tr', m('td.ohf-number', milliseconds(c.ns)), m('td', c.title), m('td', c.culprit), m('td.ohf-muted', c.advice))),
      count > 0 && m('tr', m('td'), m('td.ohf-muted', `${count} smaller ${count === 1 ? 'cause' : 'causes'}, ${milliseconds(rest)}`)),
    ),
  ];
}

function buttons(actions: Actions, message: string): Children {
  return m(
    'span.ohf-right',
    m('span.ohf-muted', {role: 'status'}, message),
    m('button', {title: 'The late frame before (K)', onclick: () => actions.step(false)}, '◀ Previous late'),
    m('button', {title: 'The next late frame (J)', onclick: () => actions.step(true)}, 'Next late ▶'),
  );
}

function link(text: string, slice: number, actions: Actions): Children {
  return m('button.ohf-link', {onclick: () => actions.select(slice)}, text);
}

function processOf({process, pid}: {process: string; pid: number}): string {
  return `${process} ${pid}`.trim();
}
