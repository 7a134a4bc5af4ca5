import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { Queue } from 'bullmq'
import type { Jobs, QueueName } from '../../queues/jobs.ts'
import { deliveryIdOf } from '../../webhooks/deliveries/delivery-job.ts'

/** What the states of each queue mean, below its name. */
const descriptions: Record<QueueName, string> = {
  'webhook-delivery':
    'Delayed: waits for its next attempt, or for a slot. Failed: DEAD; Retry re-queues it. A first attempt that succeeds at once has no job.',
  'outbox-relay': 'Turns events into deliveries.',
  'intent-expiry': 'Expires payments when their time is up.',
  'wallet-outcome': 'Asks wallets what became of payments and refunds whose outcome nobody knows.',
  maintenance: 'Restores the failed jobs of DEAD deliveries.',
  retention: 'Takes away old test data, once a night.',
}

/** The queues whose jobs are deliveries: only there is a Retry an act of ours. */
export const isDeliveryQueue = (name: string): boolean => name === 'webhook-delivery'

/** One queue as Bull Board shows it. `mayRetry`: to this viewer Retry is offered; all else is never. */
export function asBoardQueue(name: QueueName, queue: Queue, mayRetry: boolean): BullMQAdapter {
  const isDelivery = isDeliveryQueue(name)
  const adapter = new BullMQAdapter(queue, {
    description: descriptions[name],
    // In this mode Bull Board answers no act at all, and shows no button.
    readOnlyMode: !(mayRetry && isDelivery),
    ...(isDelivery ? { externalJobUrl: ({ id }) => deliveryPage(String(id)) } : {}),
  })
  adapter.setFormatter('name', (job) => titleOf(job))
  adapter.setFormatter('data', (data) => onlyKnown(data))
  return adapter
}

const deliveryPage = (jobId: string) => ({
  href: `/admin/deliveries/${encodeURIComponent(deliveryIdOf(jobId))}`,
  displayText: 'Delivery',
})

interface Titled {
  name: string
  data?: Partial<Jobs['webhook-delivery'] & Jobs['intent-expiry']>
}

/** A delivery's job has the name of its event, any other that of its queue. */
const titleOf = ({ name, data = {} }: Titled): string => {
  const { ref, host, referenceNumbers, failed, error, next } = data
  const words = [
    name,
    ref,
    host,
    referenceNumbers && shownReferences(referenceNumbers),
    failed && `${failed} attempts failed`,
    error,
    next && `next attempt at ${shownTime(next)}`,
  ]
  return words.filter((word) => word !== undefined).join(' · ')
}

const shownReferences = ([first, ...others]: string[]): string =>
  others.length === 0 ? String(first) : `${first} and ${others.length} more`

/** A time as the pages for staff show it. In Redis it is text. */
const shownTime = (at: Date | string): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Of a job that carries nothing, none. */
type FieldsOf<Data> = Data extends unknown ? (string extends keyof Data ? never : keyof Data) : never

/** Only ids and words for people are in a job. A new field is shown only when somebody decided so here. */
const shown: Record<FieldsOf<Jobs[QueueName]>, boolean> = {
  ref: true,
  host: true,
  failed: true,
  error: true,
  next: true,
  intentIds: true,
  orderIds: true,
  intentId: true,
  referenceNumbers: true,
  slot: true,
  reach: true,
}

const onlyKnown = (data: object | undefined): object =>
  Object.fromEntries(
    Object.entries(data ?? {}).filter(
      ([field]) => Object.hasOwn(shown, field) && shown[field as keyof typeof shown],
    ),
  )
