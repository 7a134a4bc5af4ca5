import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { BoardHooks } from '@bull-board/api/typings/app'
import { ExpressAdapter } from '@bull-board/express'
import type { Queue } from 'bullmq'
import type { Express } from 'express'
import { type JobPayloads, type QueueName, queueSettings } from '../../../schemas/jobs.ts'
import { deliveryIdOf } from '../../webhooks/deliveries/delivery.ts'
import { formatUtc } from '../format.ts'
import { boardUiConfig } from './settings.ts'

const boardPath = '/admin/queues'

/** Only a second safeguard: board.ts already refuses other methods. */
const hooks: BoardHooks = {
  before: ({ method }) => ({ allow: method === 'get' }),
  after: (_context, result) => {
    for (const job of jobsIn(result.body)) job.stacktrace = job.failedReason ? [job.failedReason] : []
    return result
  },
}

/** The page displays `stacktrace`, so we replace it with the reason. */
interface FailedJob {
  failedReason?: string
  stacktrace?: string[]
}

function jobsIn(body: object | string): FailedJob[] {
  const { queues = [], job } = body as { queues?: { jobs: FailedJob[] }[]; job?: FailedJob }
  return job === undefined ? queues.flatMap(({ jobs }) => jobs) : [job]
}

/** The board starts without queues, so it opens even if Redis is down. */
export function createRoleBoard(mayRequeue: boolean) {
  const adapter = new ExpressAdapter()
  adapter.setBasePath(boardPath)
  const { setQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiConfig: boardUiConfig, handlerHooks: hooks },
  })
  // board.ts handles errors.
  adapter.setErrorHandler((error) => {
    throw error
  })
  const app = adapter.getRouter() as Express
  app.disable('x-powered-by')
  addOwnFiles(app)
  let hasQueues = false
  return {
    app,
    addQueues(queues: ReadonlyMap<QueueName, Queue>) {
      if (hasQueues) return
      hasQueues = true
      setQueues([...queues].map(([name, queue]) => asBoardQueue(name, queue, mayRequeue)))
    },
  }
}

type Render = (path: string, options: object, done: (error: unknown, html?: string) => void) => void

const ownFiles = '<link href="static/own.css" rel="stylesheet"><script src="static/own.js"></script>'

/** Bull Board has no option to replace its link to external fonts. */
function addOwnFiles(app: Express) {
  const { engines } = app as unknown as { engines: Record<string, Render> }
  const render = engines['.ejs']
  if (render === undefined) throw new Error('Bull Board no longer renders its page with EJS')
  app.engine('ejs', (path, options, done) =>
    render(path, options, (error, html) => done(error, html?.replace(/<link[^>]+https?:[^>]+>/, ownFiles))),
  )
}

export const isDeliveryQueue = (name: string): boolean => name === 'webhook-delivery'

function asBoardQueue(name: QueueName, queue: Queue, mayRetry: boolean): BullMQAdapter {
  const isDelivery = isDeliveryQueue(name)
  const adapter = new BullMQAdapter(queue, {
    description: queueSettings[name].description,
    // In read-only mode, Bull Board refuses every action.
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
  data?: Partial<JobPayloads['webhook-delivery'] & JobPayloads['intent-expiry']>
}

const titleOf = ({ name, data = {} }: Titled) => {
  const { ref, host, referenceNumbers, failed, error, next } = data
  const words = [
    name,
    ref,
    host,
    referenceNumbers && shownReferences(referenceNumbers),
    failed && `${failed} attempts failed`,
    error,
    next && `next attempt at ${formatUtc(new Date(next))}`,
  ]
  return words.filter((word) => word !== undefined).join(' · ')
}

const shownReferences = ([first, ...others]: string[]) =>
  others.length === 0 ? String(first) : `${first} and ${others.length} more`

const shownFields = new Set(Object.values(queueSettings).flatMap(({ job }) => Object.keys(job.properties)))

const onlyKnown = (data: object = {}) =>
  Object.fromEntries(Object.entries(data).filter(([field]) => shownFields.has(field)))
