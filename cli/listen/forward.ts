import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { signWebhook } from '../../clients/typescript/payments.ts'

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
  body: string
  secret: string
  signal: AbortSignal
}

/** Signs the request like one of the service's webhooks. Never throws. */
export async function forwardEvent({ url, headerBrand, body, secret, signal }: Forwarding): Promise<Outcome> {
  const beganAt = performance.now()
  const outcome = (status: number | null, problem: string | null): Outcome => ({
    status,
    durationMs: Math.round(performance.now() - beganAt),
    problem,
  })
  const headers = {
    'User-Agent': `${headerBrand}-Webhooks (listen)`,
    Accept: '*/*',
    ...(await signWebhook({ body, secret, brand: headerBrand })),
  }
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await post(url, headers, body, AbortSignal.any([signal, timeout]))
    const { statusCode: status = 0 } = response
    const responseText = await readText(response)
    return outcome(status, status >= 200 && status < 300 ? null : rejection(status, responseText))
  } catch (error) {
    return outcome(null, timeout.aborted ? late : unreachable(error as NodeJS.ErrnoException, url))
  }
}

/** Uses node:http, because `fetch` fails if the server sends an unsolicited 100 Continue. */
const post = (
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http
    request(url, { method: 'POST', headers, signal }, resolve).once('error', reject).end(body)
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

const unreachable = ({ code, message }: NodeJS.ErrnoException, url: string): string =>
  code === 'ECONNREFUSED'
    ? `No server is listening at ${url}. Start your server.`
    : `The request to ${url} failed: ${code ?? message}.`
