import { after, before } from './point.ts'

const relay = before('worker', 'src/outbox/relay.ts')

export const relayPoints = [
  relay('relay.events-read', 'const receivers = await receiversOf('),
  relay('relay.before-insert', 'const inserted = await Promise.allSettled('),
  // Each delivery that was inserted with a lease, before its attempt begins.
  relay('relay.inserted', 'if (isMine) beginAttempt('),
  relay('relay.deliveries-inserted', 'if (waiting.length > 0)'),
  relay('relay.enqueued', 'relayed.deliveries += inserted.length'),
  relay('relay.events-pulled', 'relayed.events += outbox.length'),
  after('worker', 'src/outbox/relay.ts')('relay.expiries-scheduled', 'scheduleExpiries(deps, intents)'),
]
