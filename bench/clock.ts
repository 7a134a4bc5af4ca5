/** Milliseconds on the machine's monotonic clock: the same for all its processes, and nothing sets it. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6
