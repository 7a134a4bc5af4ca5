import { retryAllJobs } from '../../src/staff-pages/board/retry.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { jobIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { storedDelivery } from '../support/actions.ts'
import { waitFor } from '../support/wait-for.ts'
import { callBoard } from './board-call.ts'
import { mainQueue, withBoard } from './open-board.ts'

describe("Bull Board's Retry button", () => {
  const board = withBoard()
  const trailOf = ({ _id }: Delivery) => board.service.deps.AuditEvent.find({ subject: _id }).lean()
  const change = ({ _id }: Delivery, fields: object) => {
    excuse([_id], 'delivery state')
    return board.service.deps.Delivery.updateOne({ _id }, { $set: fields })
  }

  it('attempts a dead delivery once more and removes its job from *failed*', async () => {
    const delivery = await board.deadDelivery()
    board.endpointServer.respondWith((res) => void res.end('thanks'))
    expect((await board.retry(board.support, delivery)).status).to.equal(204)
    const now = await waitFor('delivered', async () => {
      const each = await storedDelivery(board.service, delivery)
      return each.status === 'DELIVERED' && each
    })
    expect(now).to.include({ attempts: 9, requeues: 1, deadAt: null })
    const [line, ...more] = await trailOf(delivery)
    expect(more).to.deep.equal([])
    expect(line).to.deep.include({
      act: 'delivery.requeued',
      actor: { kind: 'staff', name: board.support.name, from: '127.0.0.1' },
      before: { status: 'DEAD', nextAttemptAt: null },
    })
    expect(await board.failedIds()).to.not.include(jobIdOf(delivery))
  })

  it('sends nothing and says so if the delivery has succeeded in the meantime', async () => {
    const delivery = await board.deadDelivery()
    await change(delivery, { status: 'DELIVERED', deadAt: null })
    const received = board.endpointServer.received.length
    const { status, body } = await board.retry(board.support, delivery)
    expect(status).to.equal(409)
    const message = 'Nothing was re-queued. The job has left this list.'
    expect(body).to.deep.equal({ error: 'Already delivered', message })
    expect(await board.failedIds()).to.not.include(jobIdOf(delivery))
    expect(board.endpointServer.received).to.have.length(received)
    expect(await trailOf(delivery)).to.deep.equal([])
  })

  it('reports an error if the endpoint is disabled, and leaves the job in *failed*', async () => {
    const delivery = await board.deadDelivery()
    await board.service.deps.Endpoint.updateOne({ _id: delivery.endpointId }, { $set: { active: false } })
    const { status, body } = await board.retry(board.support, delivery)
    expect([status, body.error]).to.deep.equal([409, 'The endpoint is deleted or disabled'])
    expect(await board.failedIds()).to.include(jobIdOf(delivery))
  })

  it('retries all jobs in *failed* in batches, but each job only once', async () => {
    const { deps } = board.service
    const { Delivery: deliveries, Endpoint, AuditEvent } = deps
    // More than one batch. Most were delivered in the meantime, some endpoints are gone, and the rest fail again.
    const make = board.deadDelivery
    const [batch, queue] = [30, await board.queue()]
    const [one, two, three] = [await make(), await make(), await make()]
    const before = await queue.getFailedCount()
    const [delivered, stuck] = [await board.copies(one, batch - 5), await board.copies(two, 5)]
    const dead = await board.copies(three, 10)
    await waitFor('all in *failed*', async () => (await queue.getFailedCount()) >= before + batch + 10)
    await deliveries.updateMany({ _id: { $in: delivered } }, { status: 'DELIVERED', deadAt: null })
    await Endpoint.updateOne({ _id: two.endpointId }, { $set: { active: false } })
    const failedBefore = await queue.getFailedCount()
    const by = { actor: { kind: 'staff', name: 'awa', from: null }, reason: null } as const
    const { status, body } = await retryAllJobs(deps, queue, by, batch)
    expect(status).to.equal(409)
    const left = Number(/^(\d+) deliveries were not re-queued$/.exec(body.error ?? '')?.[1])
    expect(left).to.be.within(stuck.length, failedBefore - delivered.length - dead.length)
    expect(body.retried).to.be.within(dead.length, failedBefore - delivered.length - left)
    const newIds = dead.map((_id) => jobIdOf({ _id, attempts: 9, requeues: 1 }))
    await waitFor('all failed again', async () => {
      const states = await Promise.all(newIds.map((jobId) => queue.getJobState(jobId)))
      return states.every((state) => state === 'failed')
    })
    expect(await AuditEvent.countDocuments({ subject: { $in: dead } })).to.equal(dead.length)
    expect(await AuditEvent.countDocuments({ subject: { $in: [...delivered, ...stuck] } })).to.equal(0)
    expect(await queue.getFailedCount()).to.be.within(stuck.length, failedBefore - delivered.length)
    const pressed = await callBoard(board.service, board.support, 'put', `${mainQueue}/retry/failed`)
    expect([pressed.status, pressed.body.error]).to.deep.equal([409, `${left} deliveries were not re-queued`])
    expect(pressed.body.retried).to.be.at.least(dead.length)
  })
})
