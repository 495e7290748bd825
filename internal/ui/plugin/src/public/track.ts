interface Tags {
  readonly trackIds?: readonly number[];
  readonly utid?: number;
  // Of tracks of samples.
  readonly perfSessionId?: unknown;
  readonly stackSampleSource?: unknown;
  readonly stackSampleSummary?: unknown;
}

export interface Track {
  readonly uri: string;
  readonly tags?: Tags;
}
