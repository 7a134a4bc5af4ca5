/**
 * `onTimeout` runs if `work` hasn't settled within `ms` (negative if that passed while the process was frozen); `work`
 * goes on. After a blocked event loop, due timers and arrived messages are handled first, so their results aren't late.
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
export const inTime = (work: Promise<unknown>, ms: number): Promise<boolean> => {
  const succeeded = work.then(
    () => true,
    () => false,
  )
  return withTimeout(succeeded, ms, () => false)
}
