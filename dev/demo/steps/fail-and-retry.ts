import { askAgain } from '../ask-for-payment.ts'
import { retrySeconds } from '../environment.ts'
import { gap, seen, step, tell } from '../screen.ts'
import { type Genuine, nextWebhook, type Stage } from '../stage.ts'
import { must } from '../wait-for.ts'

/** A merchant whose server fails once. */
export async function failAndRetry(stage: Stage): Promise<void> {
  const { receiver } = stage
  const [wait] = retrySeconds

  step(7, 'The merchant fails, and is told again')
  tell('Servers break. The merchant asks for another payment, and answers 500 when it is told of it:')
  receiver.failNext('payment.created')
  const before = receiver.arrivals.length
  const lamp = { amount: 30_000, label: 'A lamp', metadata: { order: '1043' } }
  const { reference } = await askAgain(stage, lamp)
  const expected = { event: 'payment.created', reference, status: 'PENDING' } as const
  const failed = await nextWebhook(stage, before, { ...expected, answered: 500 })
  gap()
  seen(`attempt 1 arrived at ${clock(failed)}: answered 500`)
  tell(
    `Attempt 2 is due ${wait} s later. This demo waits ${retrySeconds.join(', ')} seconds between its 8 attempts; ` +
      'as shipped, the waits are 30 s, 2 min, 15 min, 1 h, 4 h, 12 h and 24 h.',
  )

  const afterFailed = receiver.arrivals.indexOf(failed) + 1
  const again = await nextWebhook(stage, afterFailed, { ...expected, answered: 200 })
  const waitedMs = again.at.getTime() - failed.at.getTime()
  must(waitedMs >= wait * 1000, `attempt 2 comes no earlier than ${wait} s after attempt 1`)
  must(again.event.id === failed.event.id, 'both attempts have the same id')
  must(again.body.equals(failed.body), 'both attempts have the same bytes')
  must(again.check.timestamp !== failed.check.timestamp, 'each attempt has its own timestamp')
  gap()
  seen(`attempt 2 arrived at ${clock(again)}, ${(waitedMs / 1000).toFixed(2)} s later: answered 200`)
  seen(`same id ${again.event.id}, so a merchant who had handled it would know`)
  seen(`same ${again.body.length} bytes, with a new timestamp and signature: signature matches`)
}

const clock = ({ at }: Genuine): string => at.toISOString().slice(11, 23)
