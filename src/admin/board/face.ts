import { createBullBoard } from '@bull-board/api'
import type { BoardHooks } from '@bull-board/api/typings/app'
import { ExpressAdapter } from '@bull-board/express'
import type { Queue } from 'bullmq'
import type { Express } from 'express'
import type { QueueName } from '../../queues/jobs.ts'
import type { Role } from '../../staff/account.ts'
import { asBoardQueue } from './adapters.ts'
import { boardPage, uiConfig } from './look.ts'

/** Where the board stands; its page builds every address from it. */
const boardPath = '/admin/queues'

/** Bull Board as one role sees it. */
export interface Face {
  app: Express
  /** Says which queues there are; once is enough. */
  show(queues: ReadonlyMap<QueueName, Queue>): void
}

/** A second wall behind the one in board.ts: also Bull Board itself does nothing but answer looks. */
const hooks: BoardHooks = {
  before: ({ method }) => ({ allow: method === 'get' }),
  after: (_context, result) => {
    jobsIn(result.body).forEach(explain)
    return result
  },
}

interface Explained {
  failedReason?: string
  stacktrace?: string[]
}

/** Of a failed job the page shows the stack, lines of our code. Shows the reason instead. */
function explain(job: Explained): void {
  job.stacktrace = job.failedReason ? [job.failedReason] : []
}

function jobsIn(body: object | string): Explained[] {
  const { queues = [], job } = body as { queues?: { jobs: Explained[] }[]; job?: Explained }
  return job === undefined ? queues.flatMap(({ jobs }) => jobs) : [job]
}

/** A board without queues yet: its page opens also while Redis is away. */
export function createFace(role: Role): Face {
  const adapter = new ExpressAdapter()
  adapter.setBasePath(boardPath)
  const { setQueues } = createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiConfig, handlerHooks: hooks },
  })
  // What its handlers throw is answered by board.ts.
  adapter.setErrorHandler((error) => {
    throw error
  })
  const app = adapter.getRouter() as Express
  app.disable('x-powered-by')
  changePage(app)
  let isShown = false
  return {
    app,
    show(queues) {
      if (isShown) return
      isShown = true
      setQueues([...queues].map(([name, queue]) => asBoardQueue(name, queue, role === 'support')))
    },
  }
}

type Render = (path: string, options: object, done: (error: unknown, html?: string) => void) => void

/** The page is Bull Board's own, as its version ships it, with our changes made to what it renders. */
function changePage(app: Express): void {
  const { engines } = app as unknown as { engines: Record<string, Render> }
  const render = engines['.ejs']
  if (render === undefined) throw new Error('Bull Board renders its page in another way now')
  app.engine('ejs', (path, options, done) =>
    render(path, options, (error, html) => done(error, html === undefined ? undefined : boardPage(html))),
  )
}
