import { html } from 'ghtml'
import { currencyCode, decimal } from '../../../schemas/currency.ts'
import { maxCounted } from '../../webhooks/deliveries/backlog.ts'
import type { AttemptRecord } from '../../webhooks/deliveries/delivery.ts'

/** Text from a merchant or an endpoint: escaped, with its own text direction. */
export const userText = (text: string): string => html`<bdi>${text}</bdi>`

/** Formats centimes: `500.00 MRU` (SPEC 1). */
export const money = (centimes: number): string => `${decimal(centimes)} ${currencyCode}`

/** Formats a duration: milliseconds below a second, else seconds. */
export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

/** `1 delivery`, `2 deliveries`. */
export const deliveriesCounted = (count: number): string =>
  `${count} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Formats a count that stops at a limit. */
export const atMost = (count: number): string =>
  count >= maxCounted ? `${maxCounted} or more` : String(count)

/** Explains each stage at which an attempt can fail. */
const stageWords: Record<string, string> = {
  status: 'the response was not a success',
  dns: 'the host name could not be resolved',
  address: 'the address is not public',
  connect: 'the host could not be reached',
  refused: 'the connection was refused',
  tls: 'the TLS connection failed',
  timeout: 'the response was not complete in time',
  closed: 'the connection was closed early',
  protocol: 'the response was not valid HTTP',
  too_large: 'the headers of the response were too large',
}

export const stageInWords = (stage: string): string =>
  `${stage} (${stageWords[stage] ?? 'the attempt failed'})`

/** The result of a failed attempt in short: `status 500`, `timeout (the response was not complete in time)`. */
export function outcomeOf({
  status,
  stage,
  error,
}: Pick<AttemptRecord, 'status' | 'stage' | 'error'>): string {
  if (status !== null) return `status ${status}`
  const reason = error ?? stageWords[stage ?? ''] ?? 'there was no response'
  return `${stage ?? 'failed'} (${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')})`
}
