import type {time} from '../base/time';
import type m from '../mithril';
import type {Track} from './track';

export interface ContentWithLoadingFlag {
  readonly isLoading: boolean;
  readonly content: m.Children;
}

export interface AreaSelectionTab {
  readonly id: string;
  readonly name: string;
  readonly priority?: number;
  render(selection: AreaSelection): ContentWithLoadingFlag | undefined;
}

interface Area {
  readonly start: time;
  readonly end: time;
  readonly trackUris: readonly string[];
}

export interface AreaSelection extends Area {
  readonly kind: 'area';
  readonly tracks: readonly Track[];
}

export interface TrackEventSelection {
  readonly kind: 'track_event';
  readonly trackUri: string;
  readonly eventId: number;
  readonly ts: time;
}

export type Selection =
  | TrackEventSelection
  | AreaSelection
  | {readonly kind: 'track'; readonly trackUri: string}
  | {readonly kind: 'note'; readonly id: string}
  | {readonly kind: 'empty'};

interface Options {
  readonly switchToCurrentSelectionTab?: boolean;
  readonly scrollToSelection?: boolean;
}

export interface SelectionManager {
  readonly selection: Selection;
  resolveSqlEvents(table: string, ids: readonly number[]): Promise<readonly {eventId: number; trackUri: string}[]>;
  selectTrackEvent(trackUri: string, eventId: number, options?: Options): void;
  selectSqlEvent(table: string, id: number, options?: Options): void;
  selectArea(area: Area, options?: Options): void;
  registerAreaSelectionTab(tab: AreaSelectionTab): void;
}
