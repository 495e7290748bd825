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

import type {PerfettoPlugin, PluginStatus} from '../../public/plugin';
import type {Trace} from '../../public/trace';
import {AreaTab} from './area';
import {Frames} from './frames';
import {WhyLate} from './panel';

export default class OpenHarmonyFrames implements PerfettoPlugin {
  static readonly id = 'org.openharmony.Frames';
  static readonly description =
    'Why frames of OpenHarmony were late: for traces that ohframe has ' +
    'converted.';
  static readonly status: PluginStatus = 'preview';
  static readonly tab = `${OpenHarmonyFrames.id}#why`;

  // Undefined in a trace without frames of OpenHarmony.
  protected frames?: Frames;

  async onTraceLoad(trace: Trace): Promise<void> {
    const frames = await Frames.load(trace.engine);
    if (frames === undefined) return;
    this.frames = frames;
    const {id, tab} = OpenHarmonyFrames;
    const panel = new WhyLate(trace, frames, tab);
    const area = new AreaTab(frames, `${id}#area`, panel);
    trace.trash.use(panel);
    trace.trash.use(area);
    trace.tabs.registerTab({
      uri: tab,
      isEphemeral: false,
      content: {getTitle: () => 'Why late?', render: () => panel.render()},
    });
    trace.tabs.addDefaultTab(tab);
    trace.selection.registerAreaSelectionTab(area);
    trace.commands.registerCommand({
      id: `${id}#nextLate`,
      name: 'OpenHarmony: next late frame',
      defaultHotkey: 'J',
      callback: () => panel.step(true),
    });
    trace.commands.registerCommand({
      id: `${id}#previousLate`,
      name: 'OpenHarmony: previous late frame',
      defaultHotkey: 'K',
      callback: () => panel.step(false),
    });
    trace.commands.registerCommand({
      id: `${id}#flame`,
      name: 'OpenHarmony: flame graph of the frame',
      callback: () => panel.flame(),
    });
  }
}
