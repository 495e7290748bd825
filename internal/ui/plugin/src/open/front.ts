// The tab in front, when a frame is selected. That is not part of the plugin API.

import type {Frames} from '../plugins/org.openharmony.Frames/frames';
import type {Trace} from '../public/trace';
import {showTime} from './keep';

// keepInFront puts the tab in front again when it was and a slice of a frame is selected: the UI
// turns to its own tab. It does so, too, when the slice of the link is selected, and shows the
// time of the link again: the UI's move to the slice stops its zoom to that time wherever it is.
export function keepInFront(trace: Trace, frames: Frames, tab: string): void {
  const tabs: Trace['tabs'] & {readonly currentTabUri?: string} = trace.tabs;
  let {selection} = trace.selection;
  let front = false;
  let begun = false; // with the slice of the link
  const look = (): void => {
    const now = trace.selection.selection;
    if (now === selection) {
      front = tabs.currentTabUri === tab;
      return;
    }
    selection = now;
    if (now.kind !== 'track_event') return;
    const {ts, visStart, visEnd} = trace.initialRouteArgs;
    if (!begun && String(now.ts) === ts) {
      begun = true;
      tabs.showTab(tab);
      const isTime = (text: unknown): text is string => typeof text === 'string' && /^\d+$/.test(text);
      if (isTime(visStart) && isTime(visEnd)) showTime(trace, BigInt(visStart), BigInt(visEnd));
    } else if (front && frames.leads(trace.tracks.getTrack(now.trackUri)?.tags?.trackIds)) {
      tabs.showTab(tab);
    }
  };
  trace.trash.use(trace.raf.addCanvasRedrawCallback(look));
}
