// Copyright (C) 2026 The Android Open Source Project
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//      http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

import m from 'mithril';
import {AsyncMemo} from '../../base/async_memo';
import {Time} from '../../base/time';
import {getColorForSlice} from '../../components/colorizer';
import type {Selection} from '../../public/selection';
import type {Trace} from '../../public/trace';
import {Button} from '../../widgets/button';
import {DetailsShell} from '../../widgets/details_shell';
import {Grid, GridCell, GridHeaderCell} from '../../widgets/grid';
import type {Facts, Frame, Frames} from './frames';
import {type Late, type Place, rankOf, step, Walk, worst} from './late';
import {kinds, largest, milliseconds, parts} from './pieces';

// Below this share of the bar, a part cannot be pointed at.
const LEAST = 0.004;
// Below this share, a label does not fit.
const LABELLED = 0.05;
// Threads that were waited for by less than this share of the time are not
// listed, nor causes that cost less than this share of what was lost.
const NOTICED = 0.01;
const LISTED = 10; // Frames.

/** What links of the tabs do. */
export interface Actions {
  /** Selects a slice. */
  select(slice: number): void;
}

/**
 * The tab that says why the frame of the selection was late. Without one it
 * lists the worst frames.
 */
export class WhyLate implements Actions, Disposable {
  private readonly memo = new AsyncMemo<{readonly frame?: Frame}>();
  private readonly walk = new Walk<Selection>();
  // What a command has to say, until something else is selected.
  private notice?: {readonly text: string; readonly selection: Selection};
  // The frame that is shown, and of what selection.
  private shown?: {readonly frame?: Frame; readonly selection: Selection};

  constructor(
    private readonly trace: Trace,
    private readonly frames: Frames,
    private readonly uri: string,
  ) {}

  [Symbol.dispose]() {
    this.memo.dispose();
  }

  render(): m.Children {
    const {selection} = this.trace.selection;
    const slice = this.sliceOf(selection);
    if (slice === undefined) return this.renderWorst(this.said(selection));
    const {data, isPending} = this.memo.use({
      key: {slice},
      compute: async () => ({frame: await this.frames.frame(slice)}),
      retainOn: ['slice'],
    });
    if (!isPending) this.shown = {frame: data.frame, selection};
    if (data?.frame !== undefined) {
      return this.renderFrame(data.frame, this.said(selection, data.frame));
    }
    const said = isPending ? '' : 'The selection has no late frame.';
    return this.renderWorst(this.said(selection) || said);
  }

  // Returns the selected slice, if its track leads to frames.
  private sliceOf(selection: Selection): number | undefined {
    if (selection.kind !== 'track_event') return undefined;
    const track = this.trace.tracks.getTrack(selection.trackUri);
    return this.frames.leads(track?.tags?.trackIds)
      ? selection.eventId
      : undefined;
  }

  private said(selection: Selection, frame?: Frame): string {
    const {last} = this.walk;
    if (last !== undefined && last.frame.id === frame?.id) {
      const {number, of, wrapped} = last;
      const end = number === 1 ? 'first' : 'last';
      return `${number} of ${of}${wrapped ? `, continued at the ${end}` : ''}`;
    }
    return this.notice?.selection === selection ? this.notice.text : '';
  }

  private say(text: string) {
    this.notice = {text, selection: this.trace.selection.selection};
    this.trace.tabs.showTab(this.uri);
  }

  select(slice: number) {
    this.trace.selection.selectSqlEvent('slice', slice, {
      switchToCurrentSelectionTab: false,
      scrollToSelection: true,
    });
    this.trace.tabs.showTab(this.uri);
  }

  /** Selects the next late frame, or the previous one. */
  step(forward: boolean) {
    const next = step(this.frames.late, this.place(), forward);
    if (next === undefined) {
      this.say('No frame was late.');
      return;
    }
    this.walk.take(next, this.trace.selection.selection);
    this.trace.tabs.showTab(this.uri);
    this.show(next.frame);
  }

  private place(): Place {
    const {selection} = this.trace.selection;
    const late = this.walk.frame(selection);
    if (late !== undefined) return late;
    const shown = this.shown;
    if (shown?.frame !== undefined && shown.selection === selection) {
      return shown.frame;
    }
    switch (selection.kind) {
      case 'track_event': {
        const track = this.trace.tracks.getTrack(selection.trackUri);
        const upid = this.frames.upidOf(track?.tags?.trackIds);
        return {ts: selection.ts, upid};
      }
      case 'area':
        return {ts: selection.start};
      default:
        return {ts: this.trace.timeline.visibleWindow.start.integral};
    }
  }

  // Zoomed in on another frame, a frame is not in sight, and far out it is a
  // line.
  private async show(late: Late) {
    const {selection, timeline} = this.trace;
    const [event] = await selection.resolveSqlEvents('slice', [late.id]);
    if (event === undefined || this.walk.last?.frame !== late) return;
    const {trackUri, eventId} = event;
    selection.selectTrackEvent(trackUri, eventId, {
      switchToCurrentSelectionTab: false,
    });
    this.trace.scrollTo({track: {uri: trackUri, expandGroup: true}});
    const margin = late.dur / 2n;
    timeline.panSpanIntoView(
      Time.fromRaw(late.ts - margin),
      Time.fromRaw(late.ts + late.dur + margin),
      {align: 'zoom', margin: 0, animation: 'step'},
    );
  }

  /**
   * Selects the samples of a frame's thread during the frame. The UI shows
   * their flame graph.
   */
  flame() {
    const {selection, tracks} = this.trace;
    const shown = this.shown;
    const frame =
      shown?.selection === selection.selection ? shown.frame : undefined;
    if (frame === undefined) return this.say('Select a frame first.');
    const utid = frame.sampled?.utid;
    if (utid === undefined) return this.say('The frame has no samples.');
    const trackUris = tracks
      .getAllTracks()
      .filter(
        ({tags}) =>
          tags?.utid === utid &&
          // Before v58, the tracks of one event have a session.
          (tags.perfSessionId !== undefined ||
            (tags.stackSampleSource === 'linux.perf' &&
              tags.stackSampleSummary !== true)),
      )
      .map((t) => t.uri);
    if (trackUris.length === 0) {
      return this.say('This UI has no tracks of samples.');
    }
    const start = Time.fromRaw(frame.ts);
    const end = Time.fromRaw(frame.ts + frame.dur);
    selection.selectArea({start, end, trackUris});
  }

  private renderWorst(said: string): m.Children {
    const {late} = this.frames;
    const list = worst(late, LISTED);
    return m(
      DetailsShell,
      {
        className: 'pf-openharmony-frames',
        title:
          late.length === 0
            ? 'No frame was late'
            : `${late.length} late ${late.length === 1 ? 'frame' : 'frames'}`,
        description: late.length > LISTED && `the worst ${LISTED}:`,
        buttons: this.renderButtons(said),
      },
      list.length > 0 &&
        table(
          ['Late by', 'Frame', 'Process', 'Cause'],
          list.map((f) => [
            milliseconds(f.overrun),
            link(f.vsync, f.id, this),
            f.process,
            f.cause,
          ]),
        ),
    );
  }

  private renderFrame(frame: Frame, said: string): m.Children {
    const {late} = this.frames;
    const {facts, sampled} = frame;
    const overrun = Number(facts.get('overrun_ms') ?? NaN) * 1e6;
    const own = late.find((f) => f.id === frame.id);
    const rank = own === undefined ? 0 : rankOf(late, own);
    const tid = facts.get('tid');
    return m(
      DetailsShell,
      {
        className: 'pf-openharmony-frames',
        title: [
          `Frame ${facts.get('vsync_id') ?? ''} `,
          overrun > 0
            ? m(
                'span.pf-openharmony-frames__late',
                `${milliseconds(overrun)} late`,
              )
            : m('span.pf-openharmony-frames__on-time', 'on time'),
        ],
        description: [
          frame.process,
          tid !== undefined && `thread ${tid}`,
          rank === 1 && `the worst of ${late.length}`,
          rank > 1 && `number ${rank} of ${late.length} by lost time`,
        ]
          .filter((text) => text !== false)
          .join(' · '),
        buttons: [
          sampled !== undefined &&
            m(Button, {
              label: `Flame graph of ${sampled.samples} samples`,
              title: 'What its thread ran',
              onclick: () => this.flame(),
            }),
          m(Button, {
            label: 'Select',
            icon: 'call_made',
            title: 'Select the frame on the track Frames',
            onclick: () => this.select(frame.id),
          }),
          this.renderButtons(said),
        ],
      },
      overrun > 0 ? renderWhy(frame, overrun, this) : renderOnTime(frame),
    );
  }

  private renderButtons(said: string): m.Children {
    if (this.frames.late.length === 0) return said;
    return [
      m('span.pf-openharmony-frames__said', {role: 'status'}, said),
      m(Button, {
        label: 'Previous late',
        icon: 'chevron_left',
        title: 'The late frame before (K)',
        onclick: () => this.step(false),
      }),
      m(Button, {
        label: 'Next late',
        icon: 'chevron_right',
        title: 'The next late frame (J)',
        onclick: () => this.step(true),
      }),
    ];
  }
}

function renderOnTime({ts, dur, facts}: Frame): m.Children {
  const deadline = facts.get('deadline_ts');
  const left = deadline === undefined ? -1n : BigInt(deadline) - ts - dur;
  return m('.pf-openharmony-frames__content', [
    left >= 0n &&
      m(
        'p',
        `Its thread was ready ${milliseconds(Number(left))} before the ` +
          'deadline.',
      ),
    renderLater('shown', facts.get('shown_late_ms'), [
      facts.get('shown_late_cause'),
    ]),
    renderLater('picked up', facts.get('picked_up_late_ms'), [
      facts.get('picked_up_late_cause'),
      facts.get('picked_up_late_reason'),
    ]),
  ]);
}

function renderLater(
  what: string,
  ms: string | undefined,
  causes: readonly (string | undefined)[],
): m.Children {
  if (ms === undefined) return undefined;
  const cause = causes.find((c) => c !== undefined);
  const why = cause === undefined ? '' : `: ${cause}`;
  return m(
    'p',
    `But it was ${what} ${milliseconds(Number(ms) * 1e6)} late${why}.`,
  );
}

function renderWhy(
  frame: Frame,
  overrun: number,
  actions: Actions,
): m.Children {
  const {facts, pieces} = frame;
  const confidence = facts.get('confidence');
  const advice = facts.get('advice');
  const culprit = facts.get('culprit');
  const sum = kinds(pieces);
  const total = sum.reduce((ns, k) => ns + k.ns, 0);
  const waitedFor = frame.waitedFor.filter(
    (w) => Number(w.dur) >= NOTICED * total,
  );
  const more = waitedFor.length - LISTED;
  return m('.pf-openharmony-frames__content', [
    m(
      'p.pf-openharmony-frames__cause',
      facts.get('cause') ?? 'The cause is unknown.',
      confidence !== undefined &&
        m('span.pf-openharmony-frames__muted', ` (confidence: ${confidence})`),
    ),
    advice !== undefined && m('p.pf-openharmony-frames__advice', advice),
    culprit !== undefined &&
      waitedFor.length === 0 &&
      m('p', `It waited for ${culprit}.`),
    pieces.length > 0 && [
      m('h2', `From when it should have begun: ${milliseconds(total)}`),
      renderBar(frame, actions),
      m(
        'ul.pf-openharmony-frames__legend',
        sum.map(({kind, colour, ns}) =>
          m(
            'li',
            m('span.pf-openharmony-frames__chip', {
              style: {background: background(colour)},
            }),
            `${kind} ${milliseconds(ns)}`,
          ),
        ),
      ),
    ],
    waitedFor.length > 0 && [
      m('h2', 'It waited for'),
      table(
        ['Time', 'Thread, and what it did'],
        waitedFor
          .slice(0, LISTED)
          .map((w) => [
            milliseconds(Number(w.dur)),
            link(w.name, w.id, actions),
          ]),
      ),
      more > 0 &&
        m(
          'p.pf-openharmony-frames__muted',
          `and ${more} more, on the track Waited for`,
        ),
    ],
    renderCauses(facts, overrun),
  ]);
}

function renderBar({pieces}: Frame, actions: Actions): m.Children {
  return m(
    '.pf-openharmony-frames__bar',
    parts(pieces, LEAST, LABELLED).map((p) => {
      const text = `${milliseconds(p.ns)} ${p.name}`;
      return m(
        'button.pf-openharmony-frames__part',
        {
          'style': {
            width: `${100 * p.share}%`,
            background: background(p.colour),
            color: colours(p.colour).textBase.cssString,
          },
          'title': text,
          'aria-label': text,
          'onclick': () => actions.select(p.id),
        },
        p.share >= LABELLED && text,
      );
    }),
  );
}

// Lists all causes, if there are several.
function renderCauses(facts: Facts, overrun: number): m.Children {
  const all = [];
  for (let i = 0; facts.has(`causes[${i}].title`); i++) {
    const fact = (name: string) => facts.get(`causes[${i}].${name}`) ?? '';
    all.push({
      ns: Number(fact('share_ns')),
      title: fact('title'),
      culprit: fact('culprit'),
      advice: fact('advice'),
    });
  }
  if (all.length < 2) return undefined;
  const {shown, count, rest} = largest(all, overrun, NOTICED);
  const waited = shown.some((c) => c.culprit !== '');
  return [
    m('h2', 'All causes, by lost time'),
    table(
      ['Lost', 'Cause', ...(waited ? ['Waited for'] : []), 'Advice'],
      shown.map((c) => [
        milliseconds(c.ns),
        c.title,
        ...(waited ? [c.culprit] : []),
        c.advice,
      ]),
    ),
    count > 0 &&
      m(
        'p.pf-openharmony-frames__muted',
        `${count} smaller ${count === 1 ? 'cause' : 'causes'}, ` +
          milliseconds(rest),
      ),
  ];
}

/** A table with durations in its first column. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly m.Children[])[],
): m.Children {
  return m(Grid, {
    columns: titles.map((title) => ({
      key: title,
      header: m(GridHeaderCell, title),
    })),
    rowData: rows.map((cells) =>
      cells.map((cell, i) =>
        m(GridCell, {align: i === 0 ? 'right' : 'left', wrap: true}, cell),
      ),
    ),
  });
}

/** A link that selects a slice. */
export function link(
  label: string,
  slice: number,
  actions: Actions,
): m.Children {
  return m(Button, {
    label,
    rightIcon: 'call_made',
    compact: true,
    onclick: () => actions.select(slice),
  });
}

// Slices of the track Why have these colours.
function colours(colour: string) {
  return getColorForSlice(colour, {stripTrailingDigits: false});
}

function background(colour: string): string {
  return colours(colour).base.cssString;
}
