import { createBullBoard } from '@bull-board/api'
import type { BoardHooks } from '@bull-board/api/typings/app'
import { ExpressAdapter } from '@bull-board/express'
import type { Queue } from 'bullmq'
import type { Express } from 'express'
import type { QueueName } from '../../queues/jobs.ts'
import { asBoardQueue } from './adapters.ts'
import { uiConfig } from './settings.ts'

/** The path prefix of all URLs on Bull Board's page. */
const boardPath = '/admin/queues'

/** An instance of Bull Board for all staff with the same permissions. */
export type RoleBoard = ReturnType<typeof createBoardFor>

/**
 * `before` makes Bull Board serve only reads, as a safeguard in addition to the check in board.ts. `after` replaces the
 * stack traces of failed jobs.
 */
const hooks: BoardHooks = {
  before: ({ method }) => ({ allow: method === 'get' }),
  after: (_context, result) => {
    for (const job of jobsIn(result.body)) job.stacktrace = job.failedReason ? [job.failedReason] : []
    return result
  },
}

/**
 * A failed job in a response to Bull Board's page. Because the page displays `stacktrace`, the `after` hook replaces
 * the stack trace with the reason for the failure.
 */
interface FailedJob {
  failedReason?: string
  stacktrace?: string[]
}

function jobsIn(body: object | string): FailedJob[] {
  const { queues = [], job } = body as { queues?: { jobs: FailedJob[] }[]; job?: FailedJob }
  return job === undefined ? queues.flatMap(({ jobs }) => jobs) : [job]
}

/**
 * Creates a board without queues, so that the page opens even if Redis is down. `mayRequeue` states whether the staff
 * who see the board may re-queue deliveries.
 */
export function createBoardFor(mayRequeue: boolean) {
  const adapter = new ExpressAdapter()
  adapter.setBasePath(boardPath)
  const { setQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiConfig, handlerHooks: hooks },
  })
  // The error is rethrown so that board.ts handles it.
  adapter.setErrorHandler((error) => {
    throw error
  })
  const app = adapter.getRouter() as Express
  app.disable('x-powered-by')
  addOwnFiles(app)
  let hasQueues = false
  return {
    app,
    /** Adds the queues on the first call. Later calls do nothing. */
    addQueues(queues: ReadonlyMap<QueueName, Queue>): void {
      if (hasQueues) return
      hasQueues = true
      setQueues([...queues].map(([name, queue]) => asBoardQueue(name, queue, mayRequeue)))
    },
  }
}

type Render = (path: string, options: object, done: (error: unknown, html?: string) => void) => void

const ownFiles = '<link href="static/own.css" rel="stylesheet"><script src="static/own.js"></script>'

/**
 * Replaces the link to fonts on another host with links to our stylesheet and script. Bull Board has no option to
 * remove the fonts or to add files.
 */
function addOwnFiles(app: Express): void {
  const { engines } = app as unknown as { engines: Record<string, Render> }
  const render = engines['.ejs']
  if (render === undefined) throw new Error('Bull Board no longer renders its page with EJS')
  app.engine('ejs', (path, options, done) =>
    render(path, options, (error, html) => done(error, html?.replace(/<link[^>]+https?:[^>]+>/, ownFiles))),
  )
}
