/**
 * Resolves to the result of `work`, or to the result of `onTimeout` if `work` has not settled within `ms`, which is
 * negative if that time passed while the process was frozen. A timeout does not abort `work`. After the event loop was
 * blocked, timers that were due and messages that had arrived are handled first, so that their results are not late.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  ms: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  let immediate: NodeJS.Immediate | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => (immediate = setImmediate(resolve)), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, late.then(onTimeout)])
  } finally {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/** Resolves to whether `work` succeeded within `ms`. */
export const inTime = (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const succeeded = work.then(
    () => true,
    () => false,
  )
  return withTimeout(succeeded, ms, () => false)
}
