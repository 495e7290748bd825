// A plugin of Perfetto's UI for frames of OpenHarmony: why a frame was late. It uses only the
// UI's plugin API, apart from the tabs in keep.ts.

import {areaTab} from './area';
import {type Frame, Frames} from './frames';
import {keepView} from './keep';
import {type Late, type Place, step, Walk} from './next';
import {type Actions, noFrames, theFrame, worstFrames} from './panel';
import {type Children, type Plugin, quietly, type Selection, showTime, type Trace} from './perfetto';

export const tab = 'org.openharmony.Frames#why';

export default class OpenHarmonyFrames implements Plugin {
  static readonly id = 'org.openharmony.Frames';
  static readonly description = 'Why frames of OpenHarmony were late: for traces that ohframe has converted.';

  async onTraceLoad(trace: Trace): Promise<void> {
    const frames = await Frames.load(trace.engine);
    const panel = new Panel(trace, frames);
    trace.tabs.registerTab({
      uri: tab,
      isEphemeral: false,
      content: {getTitle: () => 'Why late?', render: () => panel.render()},
    });
    // Without frames the tab is not open, but the keys open it: it says why they do nothing.
    trace.commands.registerCommand({
      id: 'org.openharmony.Frames#nextLate', name: 'OpenHarmony: next late frame', defaultHotkey: 'J',
      callback: () => panel.step(true),
    });
    trace.commands.registerCommand({
      id: 'org.openharmony.Frames#previousLate', name: 'OpenHarmony: previous late frame', defaultHotkey: 'K',
      callback: () => panel.step(false),
    });
    trace.commands.registerCommand({
      id: 'org.openharmony.Frames#flame', name: 'OpenHarmony: flame graph of the frame',
      callback: () => panel.flame(),
    });
    if (frames.exist) {
      trace.tabs.addDefaultTab(tab);
      trace.selection.registerAreaSelectionTab(areaTab(trace, frames, panel));
    }
    keepView(trace);
  }
}

class Panel implements Actions {
  private selection: Selection = {kind: 'empty'};
  private frame?: Frame; // of the selection
  private message = '';
  private front = false; // this was the tab in front
  private begun = false; // with the slice of the link
  private reading = Promise.resolve(); // of the frame of the selection
  private readonly walk = new Walk((frame) => this.show(frame));

  constructor(
    private readonly trace: Trace,
    private readonly frames: Frames,
  ) {}

  // render is called at each redraw, in front or not.
  render(): Children {
    if (!this.frames.exist) return noFrames();
    if (this.trace.selection.selection !== this.selection) quietly(this.follow());
    this.front = this.trace.tabs.currentTabUri === tab;
    const {frame, message} = this;
    return frame ? theFrame(frame, this.frames.late, this, message) : worstFrames(this.frames, this, message);
  }

  // follow reads the frame of the selection, if that has changed.
  private follow(): Promise<void> {
    const {selection} = this.trace.selection;
    if (selection !== this.selection) {
      this.selection = selection;
      this.first(selection);
      this.reading = this.read(selection);
      // The UI turns to its own tab when the user selects something.
      if (this.front && this.processOf(selection) !== undefined) this.trace.tabs.showTab(tab);
    }
    return this.reading;
  }

  // first puts this tab in front when the slice of the link is selected, which turns the UI to
  // another one, and shows the time of the link again: from v55 on, the UI's move to the slice
  // stops its zoom to that time wherever it is.
  private first(selection: Selection): void {
    const {ts, visStart, visEnd} = this.trace.initialRouteArgs;
    if (this.begun || selection.kind !== 'track_event' || String(selection.ts) !== ts) return;
    this.begun = true;
    this.trace.tabs.showTab(tab);
    const isTime = (text: unknown): text is string => typeof text === 'string' && /^\d+$/.test(text);
    if (isTime(visStart) && isTime(visEnd)) showTime(this.trace, BigInt(visStart), BigInt(visEnd));
  }

  // processOf returns the process of a selected slice of a track of frames.
  private processOf(selection: Selection): number | undefined {
    if (selection.kind !== 'track_event') return undefined;
    return this.frames.upidOf(this.trace.tracks.getTrack(selection.trackUri)?.tags?.trackIds ?? []);
  }

  private async read(selection: Selection): Promise<void> {
    const frame =
      selection.kind === 'track_event' && this.processOf(selection) !== undefined
        ? await this.frames.frame(selection.eventId)
        : undefined;
    if (this.selection !== selection) return;
    if ((frame === undefined || frame.id !== this.stepped) && this.walk.target === undefined) {
      this.message = frame === undefined && this.processOf(selection) !== undefined ? 'The selection has no late frame.' : '';
    }
    this.frame = frame;
    this.trace.raf.scheduleFullRedraw();
  }

  select(slice: number): void {
    const {selection} = this.trace;
    quietly(Promise.resolve(selection.selectSqlEvent('slice', slice, {switchToCurrentSelectionTab: false, scrollToSelection: true})));
    this.trace.tabs.showTab(tab);
  }

  // flame selects the samples of the frame's thread during the frame. The UI shows their flame
  // graph.
  flame(frame = this.frame): void {
    const utid = frame?.sampled?.utid;
    const trackUris = this.trace.tracks.getAllTracks().filter(({tags}) => {
      const one = tags?.perfSessionId !== undefined || (tags?.stackSampleSource === 'linux.perf' && !tags.stackSampleSummary);
      return one && utid !== undefined && tags?.utid === utid;
    }).map((t) => t.uri);
    if (frame !== undefined && trackUris.length > 0) {
      this.trace.selection.selectArea({start: frame.ts, end: frame.ts + frame.dur, trackUris});
      return;
    }
    this.message = !frame ? 'Select a frame first.' : frame.sampled ? 'This UI has no tracks of samples.' : 'The frame has no samples.';
    this.trace.tabs.showTab(tab);
    this.trace.raf.scheduleFullRedraw();
  }

  private stepped?: number; // the id of the frame that step selected

  step(forward: boolean): void {
    const next = step(this.frames.late, this.place(), forward);
    if (next === undefined) {
      this.message = 'No frame was late.';
    } else {
      const {frame, number, of, wrapped} = next;
      this.message = `${number} of ${of}`;
      if (wrapped) this.message += forward ? ', continued at the first' : ', continued at the last';
      this.stepped = frame.id;
      quietly(this.walk.to(frame));
    }
    this.trace.tabs.showTab(tab);
    this.trace.raf.scheduleFullRedraw();
  }

  // show selects a frame and zooms to it: zoomed in on another frame, it is not in sight, and
  // far out it is a line.
  private async show(frame: Late): Promise<void> {
    const {trace} = this;
    await trace.selection.selectSqlEvent('slice', frame.id, {switchToCurrentSelectionTab: false});
    // The UI's promise does not wait until the slice is selected.
    const selected = () => trace.selection.selection.kind === 'track_event' && trace.selection.selection.eventId === frame.id;
    for (let i = 0; i < 100 && !selected(); i++) await new Promise((done) => setTimeout(done, 10));
    const {selection} = trace.selection;
    if (selection.kind === 'track_event') trace.scrollTo({track: {uri: selection.trackUri, expandGroup: true}});
    const margin = frame.dur / 2n;
    showTime(trace, frame.ts - margin, frame.ts + frame.dur + margin);
    await this.follow();
  }

  private place(): Place {
    const from = this.walk.target ?? this.frame;
    if (from) return from;
    const {selection, timeline} = this.trace;
    const s = selection.selection;
    return {ts: s.kind === 'area' ? s.start : timeline.visibleWindow.start.integral};
  }
}
