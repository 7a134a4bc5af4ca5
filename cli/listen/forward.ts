import { signWebhook } from '../../docs/clients/payments.ts'
import { causeOf } from '../open-client.ts'

/** The time in which a server must respond to a webhook. */
const TIMEOUT_MS = 30_000
/** How much of a response to show. */
const EXCERPT_CHARACTERS = 200

/** The result of a forwarded event. */
export interface Outcome {
  /** Null if there was no response. */
  status: number | null
  durationMs: number
  /** Why the event does not count as delivered, with the remedy, or null. */
  problem: string | null
}

export interface Forwarding {
  url: string
  /** The word in the names of the webhook headers. */
  headerBrand: string
  body: string
  secret: string
  signal: AbortSignal
}

/** Sends an event to a server, signed like a webhook of the service. Does not throw. */
export async function forwardEvent({ url, headerBrand, body, secret, signal }: Forwarding): Promise<Outcome> {
  const beganAt = performance.now()
  const outcome = (status: number | null, problem: string | null): Outcome => ({
    status,
    durationMs: Math.round(performance.now() - beganAt),
    problem,
  })
  const signed = Object.entries(await signWebhook({ body, secret }))
  const headers = signed.map(([name, value]): [string, string] => [
    name.replace(/^X-Service-/, `X-${headerBrand}-`),
    value,
  ])
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    const text = await response.text()
    return outcome(response.status, response.ok ? null : rejection(response.status, text))
  } catch (error) {
    return outcome(null, unreachable(error, url))
  }
}

function rejection(status: number, text: string): string {
  const excerpt = text.trim().replaceAll(/\s+/g, ' ').slice(0, EXCERPT_CHARACTERS)
  if (status >= 300 && status < 400)
    return 'Your server responded with a redirect, which webhooks do not follow. Correct the URL.'
  if (status === 404) return `Your server has no such path. Correct the URL of --forward. ${excerpt}`
  const response = `It responded: ${excerpt || '(nothing)'}`
  if (status === 401)
    return `Your server did not accept the signature. Does it verify with the webhook secret above? ${response}`
  return `Your server must respond with a status from 200 to 299. ${response}`
}

function unreachable(error: unknown, url: string): string {
  const cause = causeOf(error)
  if (cause === 'ECONNREFUSED') return `No server listens at ${url}. Start your server.`
  if ((error as Error).name === 'TimeoutError')
    return `Your server did not respond within ${TIMEOUT_MS / 1_000} s. Respond first, and do slow work afterwards.`
  return `The request to ${url} failed: ${cause}.`
}
