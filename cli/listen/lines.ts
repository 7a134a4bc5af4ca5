import type { LoggedEvent } from '../../clients/typescript/payments.ts'
import type { ListenCommand } from '../arguments.ts'
import type { Outcome } from './forward.ts'
import type { WebhookSecret } from './webhook-secret.ts'

export const introduction = (
  { url, forward, types }: ListenCommand,
  { secret, from }: WebhookSecret,
): string[] => [
  `Following ${types.length === 0 ? 'all events' : types.join(', ')} at ${url}`,
  ...(forward === null
    ? ['Without --forward, the events are only shown.']
    : [
        `Forwarding to ${forward}`,
        `Webhook secret (${from}): ${secret}`,
        `For Standard Webhooks: whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
      ]),
  'Ready. Press Ctrl-C to stop.',
]

/** E.g. `14:03:22 payment.confirmed PI-… → 200 (12 ms)`, in local time. */
export function lineOf({ type, referenceNumber }: LoggedEvent, outcome: Outcome | null, now: Date): string {
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()]
  const line = `${time.map((part) => String(part).padStart(2, '0')).join(':')} ${type} ${referenceNumber}`
  if (outcome === null) return line
  return `${line} → ${outcome.status ?? 'failed'} (${outcome.durationMs} ms)`
}
