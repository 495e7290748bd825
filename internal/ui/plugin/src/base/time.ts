export type time = bigint & {readonly brand?: 'time'};

export const Time = {fromRaw: (ns: bigint): time => ns};
