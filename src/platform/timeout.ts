/**
 * Resolves to the result of `onTimeout` if `work` hasn't settled within `ms`, but doesn't abort `work`. `ms` is
 * negative if that time passed while the process was frozen. After the event loop was blocked, due timers and arrived
 * messages are handled first, so their results don't count as late.
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

/** Whether `work` succeeded within `ms`. */
export const succeedsWithin = (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const succeeded = work.then(
    () => true,
    () => false,
  )
  return withTimeout(succeeded, ms, () => false)
}
