import { createPayments, type Payments, PaymentsError } from '../clients/typescript/payments.ts'

interface Opened {
  url: string
  key: string
  /** Prints to stderr. */
  warn(text: string): void
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

/**
 * Repeats a request after a temporary failure. Prints the reason once when requests begin to fail, and another line
 * when the connection works again.
 */
export function openClient({ url, key, warn, signal }: Opened): Payments {
  let failing: number | 'unreachable' | null = null
  /** Prints only the first of several failures of the same kind. */
  const report = (kind: typeof failing, reason: string): void => {
    if (kind !== failing) warn(reason)
    failing = kind
  }
  return createPayments({
    key,
    baseUrl: url,
    async fetch(...request) {
      try {
        const response = await fetch(...request)
        const { status, headers } = response
        if (status === 429)
          report(
            status,
            `This business has sent too many requests. Retrying in ${headers.get('Retry-After') ?? 1} s.`,
          )
        else if (status >= 500) report(status, `The service responded with status ${status}. Retrying.`)
        else report(null, 'The connection works again.')
        return response
      } catch (error) {
        if (!signal.aborted)
          report('unreachable', `The service cannot be reached at ${url}: ${causeOf(error)}. Retrying.`)
        throw error
      }
    },
  })
}

/** Why there was no response, e.g. "ECONNREFUSED". */
function causeOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
  if (name === 'AbortError') return 'no response in time'
  return cause?.code ?? (cause?.message || message)
}

/** Describes an error that ends the command. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof PaymentsError)) return (error as Error).message
  const { statusCode, code, message } = error
  if (statusCode === undefined) return 'The service cannot be reached. Check PAYMENTS_API_URL or --base-url.'
  return `${remedies[statusCode] ?? 'The service rejected the request.'} ${code}: ${message}`
}

const remedies: Record<number, string> = {
  401: 'The service rejected the key. Check PAYMENTS_API_KEY, and that the key belongs to this service.',
  403: 'The key may not do this. Use a key with more scopes.',
  404: 'This address has no such operation. Check PAYMENTS_API_URL or --base-url.',
}
