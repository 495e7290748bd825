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
import type {
  AreaSelection,
  AreaSelectionTab,
  ContentWithLoadingFlag,
} from '../../public/selection';
import {DetailsShell} from '../../widgets/details_shell';
import type {Cause, Frames} from './frames';
import {type Actions, link, table} from './panel';
import {milliseconds, percent} from './pieces';

/** The tab that says what late frames in an area lost, by cause. */
export class AreaTab implements AreaSelectionTab, Disposable {
  readonly name = 'Lost time';
  readonly priority = -10;
  private readonly memo = new AsyncMemo<Cause[]>();

  constructor(
    private readonly frames: Frames,
    readonly id: string,
    private readonly actions: Actions,
  ) {}

  [Symbol.dispose]() {
    this.memo.dispose();
  }

  render(selection: AreaSelection): ContentWithLoadingFlag | undefined {
    const processes = new Set(
      selection.tracks.flatMap(
        (t) => this.frames.upidOf(t.tags?.trackIds) ?? [],
      ),
    );
    if (processes.size === 0) return undefined;
    const {start, end} = selection;
    const upids = [...processes].sort((a, b) => a - b);
    const {data} = this.memo.use({
      key: {upids, start: `${start}`, end: `${end}`},
      compute: () => this.frames.causes(upids, start, end),
    });
    if (data === undefined) return {isLoading: true, content: undefined};
    const count = this.frames.late.filter(
      (f) => processes.has(f.upid) && f.ts < end && f.ts + f.dur > start,
    ).length;
    return {isLoading: false, content: this.renderCauses(data, count)};
  }

  private renderCauses(causes: readonly Cause[], count: number): m.Children {
    const total = causes.reduce((ns, c) => ns + c.ns, 0);
    return m(
      DetailsShell,
      {
        className: 'pf-openharmony-frames',
        title:
          count === 0
            ? 'No frame was late here'
            : `${count} late ${count === 1 ? 'frame' : 'frames'}`,
        description: total > 0 && `${milliseconds(total)} lost`,
      },
      causes.length > 0 &&
        table(
          ['Lost', 'Share', 'Frames', 'Cause', 'Worst', 'Advice'],
          causes.map((c) => [
            milliseconds(c.ns),
            percent(c.ns, total),
            String(c.frames),
            c.title,
            link('worst', c.worst, this.actions),
            c.advice,
          ]),
        ),
    );
  }
}
