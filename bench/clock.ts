/** Milliseconds of the monotonic clock of the machine, which is the same in all processes. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6
