import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { jobIdOf } from '../../src/webhooks/deliveries/delivery-job.ts'
import { createIntent, subscribe } from '../support/actions.ts'
import { type EndpointServer, startEndpointServer } from '../support/endpoint-server.ts'
import { openService, type Service } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'
import { type BoardResponse, callBoard } from './board-call.ts'
import { signedIn } from './staff.ts'

export type Staff = Awaited<ReturnType<typeof signedIn>>

/** A service with workers, an endpoint, and a signed-in member of staff for each role. */
export interface Board {
  service: Service
  endpointServer: EndpointServer
  support: Staff
  viewer: Staff
  /** Creates a delivery to a new endpoint. Its 8 attempts have failed, and its job is in *failed*. */
  deadDelivery(): Promise<Delivery>
  /** The ids of the newest failed jobs. */
  failedIds(): Promise<string[]>
  countFailed(): Promise<number>
  retry(staff: Staff, delivery: Delivery): Promise<BoardResponse>
  close(): Promise<void>
}

export const mainQueue = '/api/queues/webhook-delivery'

/** Opens a board for the tests of a `describe`. */
export const withBoard = (): Board =>
  withOpened(
    () => openBoard(),
    (board) => board.close(),
  )

export async function openBoard(environment: Record<string, string> = {}): Promise<Board> {
  const retries = { WEBHOOK_RETRY_SECONDS: '0.01,0.01,0.01,0.01,0.01,0.01,0.01' }
  const service = await openService({ ...retries, ...environment })
  const endpointServer = await startEndpointServer()
  const [support, viewer] = await Promise.all([signedIn(service, 'support'), signedIn(service, 'viewer')])
  service.startWorkers()
  const look = async () => {
    const query = 'activeQueue=webhook-delivery&status=failed&jobsPerPage=50'
    const { body } = await callBoard(service, viewer, 'get', `/api/queues?${query}`)
    const queue = body.queues.find(({ name }) => name === 'webhook-delivery')
    if (queue === undefined) throw new Error('no such queue')
    return queue
  }
  const failedIds = async () => (await look()).jobs.map(({ id }) => id)
  return {
    service,
    endpointServer,
    support,
    viewer,
    failedIds,
    countFailed: async () => (await look()).counts.failed,
    async deadDelivery() {
      endpointServer.respondWith((res) => void res.writeHead(500).end())
      const merchant = await service.merchant()
      await subscribe(service, merchant, endpointServer.url, ['payment.created'])
      const { referenceNumber } = await createIntent(service, merchant)
      return waitFor('a dead delivery', async () => {
        const dead = service.deps.Delivery.findOne({ referenceNumber, status: 'DEAD' })
        const delivery = await dead.lean<Delivery>()
        return delivery !== null && (await failedIds()).includes(jobIdOf(delivery)) && delivery
      })
    },
    retry: (staff, delivery) => callBoard(service, staff, 'put', `${mainQueue}/${jobIdOf(delivery)}/retry`),
    async close() {
      await service.close()
      await endpointServer.close()
    },
  }
}
