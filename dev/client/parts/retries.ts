import type { PaymentsError } from './errors.ts'

/** The delay before the first retry. It doubles with each retry. */
const firstDelayMs = 500
const longestDelayMs = 8_000
/** If the service requires a longer wait, for example because of a daily quota, the error is thrown at once. */
const longestWaitSeconds = 60

/**
 * Returns the delay before the retry in ms, or undefined if a retry would not help. A random part keeps clients from
 * retrying at the same time.
 */
export function delayBeforeRetry(error: PaymentsError, retries: number): number | undefined {
  const { statusCode, code, retryAfterSeconds = 0 } = error
  const isTemporary =
    code === 'CONNECTION_FAILED' ||
    code === 'TIMEOUT' ||
    code === 'IDEMPOTENCY_REQUEST_IN_PROGRESS' ||
    (statusCode !== undefined && (statusCode >= 500 || [408, 429].includes(statusCode)))
  if (!isTemporary || retryAfterSeconds > longestWaitSeconds) return undefined
  const delayMs = Math.min(firstDelayMs * 2 ** retries, longestDelayMs)
  return Math.max(delayMs * (0.5 + Math.random() / 2), retryAfterSeconds * 1000 * (1 + Math.random() / 10))
}

/** Waits, or throws the signal's reason as soon as the signal is aborted. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel)
      resolve()
    }, ms)
    if (signal?.aborted) cancel()
    else signal?.addEventListener('abort', cancel, { once: true })
  })
}
