import { PaymentsError } from './errors.ts'

/** Sends the request once. Returns an error that may be temporary, and throws if the caller cancels. */
export async function attempt(
  start: (signal: AbortSignal) => Promise<Response>,
  isDownload: boolean,
  timeoutMs: number,
  canceller: AbortSignal | undefined,
): Promise<{ data: unknown } | PaymentsError> {
  canceller?.throwIfAborted()
  const controller = new AbortController()
  const cancel = () => controller.abort()
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    cancel()
  }, timeoutMs)
  canceller?.addEventListener('abort', cancel)
  let isFile = false
  try {
    const response = await start(controller.signal)
    isFile = isDownload && response.ok && !isJson(response)
    return isFile ? { data: response } : await read(response)
  } catch (cause) {
    canceller?.throwIfAborted()
    if (isLate)
      return new PaymentsError({
        code: 'TIMEOUT',
        message: `There was no complete response within ${timeoutMs} ms.`,
      })
    return new PaymentsError({
      code: 'CONNECTION_FAILED',
      message: 'The connection to the service failed.',
      cause,
    })
  } finally {
    clearTimeout(timer)
    // The caller can still cancel the download of a file.
    if (!isFile) canceller?.removeEventListener('abort', cancel)
  }
}

const isJson = (response: Response): boolean => /^application\/json\b/.test(response.headers.get('content-type') ?? '')

/** Reads the envelope of a response. */
async function read(response: Response): Promise<{ data: unknown } | PaymentsError> {
  const envelope = isJson(response) ? ((await response.json()) as Envelope) : undefined
  const requestId = response.headers.get('x-request-id') ?? undefined
  if (response.ok && envelope?.success === true) return { data: envelope.data }
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new PaymentsError({
    requestId,
    code: 'INVALID_RESPONSE',
    message: `The response has the status ${response.status} and does not come from the service.`,
    ...envelope?.error,
    statusCode: response.status,
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
  })
}

interface Envelope {
  success?: boolean
  data?: unknown
  error?: { code: string; message: string; requestId: string; param?: string; details?: unknown }
}
