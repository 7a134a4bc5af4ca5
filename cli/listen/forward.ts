import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { type LoggedEvent, signWebhook } from '../../clients/typescript/payments.ts'
import { isLoopback } from '../arguments.ts'

/** How long a server may take to respond to a webhook. */
const TIMEOUT_MS = 30_000
const EXCERPT_CHARACTERS = 200

export interface Outcome {
  /** Null if there was no response. */
  status: number | null
  durationMs: number
  /** Why the event doesn't count as delivered, and what to do. Null if it does. */
  problem: string | null
}

export interface Forwarding {
  url: string
  /** Part of the webhook header names. */
  headerBrand: string
  headers: Record<string, string>
  /** Accepts any certificate. */
  insecure: boolean
  event: LoggedEvent
  secret: string
  signal: AbortSignal
}

/** As for an endpoint with this id, because the id in a webhook belongs to one delivery. */
const endpointId = '0'.repeat(24)

/** Signs the request like one of the service's webhooks. Never throws. */
export async function forwardEvent(forwarding: Forwarding): Promise<Outcome> {
  const { url, headerBrand, event, secret, signal } = forwarding
  const id = Buffer.from(event.id + endpointId, 'hex').toString('base64url')
  const body = JSON.stringify({ ...event.body, id })
  const beganAt = performance.now()
  const outcome = (status: number | null, problem: string | null): Outcome => ({
    status,
    durationMs: Math.round(performance.now() - beganAt),
    problem,
  })
  const headers = {
    ...forwarding.headers,
    'User-Agent': `${headerBrand}-Webhooks (listen)`,
    Accept: '*/*',
    ...(await signWebhook({ body, secret, brand: headerBrand })),
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await post(forwarding, { body, headers, signal: AbortSignal.any([signal, timeout]) })
    const { statusCode: status = 0 } = response
    const responseText = await readText(response)
    return outcome(status, status >= 200 && status < 300 ? null : rejection(status, responseText))
  } catch (error) {
    return outcome(null, timeout.aborted ? late : unreachable(error as NodeJS.ErrnoException, url))
  }
}

type Sent = { body: string; headers: Record<string, string>; signal: AbortSignal }

/** `fetch` blocks ports such as 6000, and fails if the server sends an unsolicited 100 Continue. */
const post = ({ url, insecure }: Forwarding, { body, ...sent }: Sent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const options = { method: 'POST', ...sent }
    const request = url.startsWith('https:')
      ? https.request(url, { ...options, rejectUnauthorized: !insecure }, resolve)
      : http.request(url, options, resolve)
    request.once('error', reject).end(body)
  })

function rejection(status: number, text: string): string {
  const excerpt = text.trim().replaceAll(/\s+/g, ' ').slice(0, EXCERPT_CHARACTERS)
  if (status >= 300 && status < 400)
    return 'Your server responded with a redirect, which webhooks do not follow. Correct the URL.'
  if (status === 404) return `Your server has no such path. Correct the --forward URL. ${excerpt}`
  const response = `It responded: ${excerpt || '(nothing)'}`
  if (status === 401)
    return `Your server did not accept the signature. Does it use the webhook secret above? ${response}`
  return `Your server must respond with a status from 200 to 299. ${response}`
}

const late = `Your server did not respond within ${TIMEOUT_MS / 1_000} s. Respond first, and do slow work afterwards.`

const certificateFaults = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/

function unreachable({ code = '', message }: NodeJS.ErrnoException, url: string): string {
  if (code === 'ECONNREFUSED') return `No server is listening at ${url}. Start your server.`
  if (!certificateFaults.test(code)) return `The request to ${url} failed: ${code || message}.`
  const remedy = isLoopback(new URL(url).hostname)
    ? 'To accept it anyway, restart with --insecure.'
    : 'Use a certificate that this machine trusts.'
  return `The certificate of ${url} is not trusted: ${code}. ${remedy}`
}
