import type { Queue } from 'bullmq'
import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Delivery, hostOf, jobIdOf, makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { createIntent, subscribe } from '../support/actions.ts'
import { startEndpointServer } from '../support/endpoint-server.ts'
import { openService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'
import { callBoard } from './board-call.ts'
import { type StaffVisitor, signedIn } from './staff.ts'

export type Board = Awaited<ReturnType<typeof openBoard>>

export const mainQueue = '/api/queues/webhook-delivery'

export const withBoard = (): Board =>
  withOpened(
    () => openBoard(),
    (board) => board.close(),
  )

/** Opens a service with workers, an endpoint, and a signed-in staff member per role. */
export async function openBoard(environment: Record<string, string> = {}) {
  const retries = { WEBHOOK_RETRY_SECONDS: '0.01,0.01,0.01,0.01,0.01,0.01,0.01' }
  const service = await openService({ ...retries, ...environment })
  const endpointServer = await startEndpointServer()
  const [support, viewer] = await Promise.all([signedIn(service, 'support'), signedIn(service, 'viewer')])
  service.startWorkers()
  const failedIds = async () => {
    const query = 'activeQueue=webhook-delivery&status=failed&jobsPerPage=50'
    const { body } = await callBoard(service, viewer, 'get', `/api/queues?${query}`)
    const shown = body.queues.find(({ name }) => name === 'webhook-delivery')
    if (shown === undefined) throw new Error('no such queue')
    return shown.jobs.map(({ id }) => id)
  }
  const queue = async () => (await service.deps.boardQueues.obtain()).get('webhook-delivery') as Queue
  const stateOf = async (delivery: Delivery) => (await queue()).getJobState(jobIdOf(delivery))
  const waitUntilFailed = (delivery: Delivery) =>
    waitFor('in *failed*', async () => (await stateOf(delivery)) === 'failed' && delivery)
  /** Stores `count` copies of a dead delivery, each with a job that fails once it is due. Returns their ids. */
  async function copies(of: Delivery, count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => makeDeliveryId(newId(), of.endpointId))
    const stored = ids.map((_id) => ({ ...of, _id }))
    excuse(ids)
    await rawCollection(service.deps.Delivery).insertMany(stored)
    const job = { name: of.event, data: { ref: of.referenceNumber, host: hostOf(of) }, delayMs: 0 }
    const jobs = stored.map((each) => ({ ...job, jobId: jobIdOf(each) }))
    service.deps.enqueue('webhook-delivery', jobs)
    return ids
  }
  let model: Delivery | null = null
  const opened = { service, endpointServer, support, viewer, copies, queue, failedIds }
  return {
    ...opened,
    /** Returns a DEAD delivery to a new endpoint, with its job in *failed*. Unless `isReal`, it may be a copy. */
    async deadDelivery(isReal = false): Promise<Delivery> {
      endpointServer.respondWith((res) => void res.writeHead(500).end())
      const merchant = await service.merchant()
      const { id: endpointId } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
      if (model === null || isReal) {
        const { referenceNumber } = await createIntent(service, merchant)
        const dead = service.deps.Delivery.findOne({ referenceNumber, status: 'DEAD' })
        model = await waitFor('a dead delivery', () => dead.clone().lean<Delivery | null>())
        return waitUntilFailed(model)
      }
      const like = { ...model, endpointId, businessId: merchant.businessId }
      const [_id = ''] = await copies(like, 1)
      return waitUntilFailed({ ...like, _id })
    },
    retry: (staff: StaffVisitor, delivery: Delivery) =>
      callBoard(service, staff, 'put', `${mainQueue}/${jobIdOf(delivery)}/retry`),
    async close() {
      await service.close()
      await endpointServer.close()
    },
  }
}
