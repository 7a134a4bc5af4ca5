import { retrySeconds as shippedSeconds } from '../../../schemas/retry-table.ts'
import { createIntentBriefly } from '../create-intent.ts'
import { retrySeconds } from '../environment.ts'
import { explain, gap, seen, step } from '../screen.ts'
import { type Genuine, nextWebhook, type Stage } from '../stage.ts'
import { must } from '../wait-for.ts'

const inWords = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : seconds < 3600 ? `${seconds / 60} min` : `${seconds / 3600} h`

/** Shows a merchant whose server fails once. */
export async function failAndRetry(stage: Stage): Promise<void> {
  const { endpointServer } = stage
  const [wait] = retrySeconds

  step(7, 'The endpoint fails, and the service retries')
  explain('Servers break. The merchant creates another intent, and responds with 500 to its webhook:')
  endpointServer.failNext('payment.created')
  const before = endpointServer.arrivals.length
  const lamp = { amount: 30_000, label: 'A lamp', metadata: { order: '1043' } }
  const { reference } = await createIntentBriefly(stage, lamp)
  const expected = { event: 'payment.created', reference, status: 'PENDING' } as const
  const failed = await nextWebhook(stage, before, { ...expected, respondedWith: 500 })
  gap()
  seen(`attempt 1 arrived at ${clock(failed)}: responded with 500`)
  explain(
    `Attempt 2 is due ${wait} s later. This demo waits ${retrySeconds.join(', ')} seconds between its 8 attempts; ` +
      `as shipped, the waits are ${shippedSeconds.map(inWords).join(', ')}.`,
  )

  const afterFailed = endpointServer.arrivals.indexOf(failed) + 1
  const again = await nextWebhook(stage, afterFailed, { ...expected, respondedWith: 200 })
  const waitedMs = again.at.getTime() - failed.at.getTime()
  must(waitedMs >= wait * 1000, `attempt 2 comes no earlier than ${wait} s after attempt 1`)
  must(again.event.id === failed.event.id, 'both attempts have the same id')
  must(again.body.equals(failed.body), 'both attempts have the same bytes')
  must(again.check.timestamp !== failed.check.timestamp, 'each attempt has its own timestamp')
  gap()
  seen(`attempt 2 arrived at ${clock(again)}, ${(waitedMs / 1000).toFixed(2)} s later: responded with 200`)
  seen(`same id ${again.event.id}, so a merchant who had handled it would know`)
  seen(`same ${again.body.length} bytes, with a new timestamp and signature: signature matches`)
}

const clock = ({ at }: Genuine): string => at.toISOString().slice(11, 23)
