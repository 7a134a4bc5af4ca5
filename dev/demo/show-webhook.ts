import { checkSignature } from './check-signature.ts'
import type { Arrival } from './endpoint-server.ts'
import { cut, faint, gap, green, note, red, seen, show } from './screen.ts'
import type { Genuine } from './stage.ts'
import { must } from './wait-for.ts'

/** Shows a webhook as it arrived, and the checks that a merchant makes. */
export function showWebhook(arrival: Genuine, secret: string): void {
  const { check, event, eventId, body, headers } = arrival
  show(['POST /webhooks', ...headersOf(arrival), '', ...cut(body.toString())])
  gap()
  seen(`signature matches: HMAC-SHA256 of ${check.timestamp}.{…} under the endpoint's secret`)
  const forged = Buffer.from(body.toString().replace(`"amount":${event.data.amount}`, '"amount":1'))
  must(!forged.equals(body), 'the body names the amount')
  must(!checkSignature(secret, headers, forged, arrival.at).genuine, 'a changed amount is noticed')
  seen('the same check with a changed amount: refused')
  seen(`timestamp is ${check.ageSeconds} s old; up to 300 s are accepted, so an old webhook cannot be replayed`)
  seen(`new event ${eventId}: responded with ${arrival.respondedWith}`)
}

/** Shows a webhook in two lines. */
export function noteWebhook({ at, event, check, handledBefore, respondedWith }: Arrival): void {
  const time = at.toISOString().slice(11, 19)
  if (event === null || !check.genuine) {
    note(`${time}  ${red('refused')}: ${check.genuine ? 'no event' : check.why}; responded with ${respondedWith}`)
    return
  }
  const { reference_number: reference, status } = event.data
  note(`${time}  ${event.event}  ${reference}  ${status}`)
  const words = `${handledBefore ? 'handled before, nothing done' : 'new event'}; responded with ${respondedWith}`
  note(`          ${green('signature matches')}${faint(`, ${check.ageSeconds} s old; ${words}`)}`)
}

/** The headers of the webhook, without those of the connection. */
function headersOf({ rawHeaders }: Arrival): string[] {
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, index) =>
    rawHeaders.slice(index * 2, index * 2 + 2).join(': '),
  )
  return lines.filter((line) => /^(content-type|x-|webhook-)/i.test(line))
}
