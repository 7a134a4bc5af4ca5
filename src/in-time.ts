/** Whether something came to a good end within so many milliseconds. It goes on if it did not. */
export async function inTime(work: Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, withinMs, false)
  })
  const ended = work.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([ended, late])
  } finally {
    clearTimeout(timer)
  }
}
