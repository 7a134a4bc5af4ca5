/**
 * Doesn't abort `work`. If the event loop was blocked, results that have
 * already arrived don't count as late.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  ms: number,
  onTimeout: () => Late,
): Promise<Result | Late> {
  const late = Promise.withResolvers<void>()
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => (immediate = setImmediate(late.resolve)), Math.max(0, ms))
  try {
    return await Promise.race([work, late.promise.then(onTimeout)])
  } finally {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

export const succeedsWithin = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  withTimeout(
    work.then(
      () => true,
      () => false,
    ),
    ms,
    () => false,
  )
