import type { ServerResponse } from 'node:http'
import { Queue } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { type DeliveryLane, deliveryLanes } from '../../src/jobs.ts'
import { createIntent, deliveriesOf, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

/** A merchant with one receiver. */
interface Shop {
  merchant: Merchant
  receiver: Receiver
  endpointId: string
}

/** From the API to the receiver, with the real workers: what one receiver does is nothing to the others. */
describe('A receiver that does not answer', () => {
  let house: House
  let redis: Redis
  const receivers: Receiver[] = []
  const queues = new Map<DeliveryLane, Queue>()
  before(async () => {
    house = await openHouse()
    redis = new Redis(house.deps.config.redisUrl, { maxRetriesPerRequest: null })
    const { queuePrefix: prefix } = house.deps.config
    for (const lane of deliveryLanes) queues.set(lane, new Queue(lane, { connection: redis, prefix }))
    house.startWorkers()
  })
  after(async () => {
    await Promise.all([...queues.values()].map((queue) => queue.close()))
    await Promise.all(receivers.map((receiver) => receiver.close()))
    redis.disconnect()
    await house.close()
  })

  async function openShop(): Promise<Shop> {
    const [merchant, receiver] = await Promise.all([house.merchant(), startReceiver()])
    receivers.push(receiver)
    const { id: endpointId } = await subscribe(house, merchant, receiver.url, ['payment.created'])
    return { merchant, receiver, endpointId }
  }

  const sell = ({ merchant }: Shop, count: number) =>
    Promise.all(Array.from({ length: count }, () => createIntent(house, merchant)))

  /** Where the jobs of a shop's deliveries are. */
  async function jobsOf(shop: Shop, lane: DeliveryLane): Promise<string[]> {
    const open = (await deliveriesOf(house, shop.merchant)).filter(({ status }) => status !== 'DELIVERED')
    const states = await Promise.all(open.map(async ({ _id }) => queues.get(lane)?.getJobState(`${_id}-r0`)))
    return states.filter((state) => state !== undefined && state !== 'unknown')
  }

  const healthOf = async ({ endpointId }: Shop) =>
    (await house.deps.Endpoint.findById(endpointId).lean())?.health

  it('holds 5 attempts and no more, goes to the lane of the slow, and comes back when it is quick again', async () => {
    const [bad, good] = [await openShop(), await openShop()]
    const held: ServerResponse[] = []
    bad.receiver.respondWith((res) => void held.push(res))
    await sell(bad, 12)
    await until('the others wait in the lane of the slow', async () => {
      const [quick, slow] = [
        await jobsOf(bad, 'webhook-delivery'),
        await jobsOf(bad, 'webhook-delivery-slow'),
      ]
      return quick.length === 5 && slow.length === 7 && slow.every((state) => state === 'delayed')
    })
    expect(bad.receiver.received).to.have.length(5)

    await sell(good, 20)
    await good.receiver.atLeast(20)
    expect(bad.receiver.received).to.have.length(5)

    bad.receiver.respondWith((res) => void res.end())
    for (const res of held) res.end()
    await until(
      'all 12 arrived, each once',
      async () => {
        const made = await deliveriesOf(house, bad.merchant)
        return made.length === 12 && made.every(({ status }) => status === 'DELIVERED')
      },
      15_000,
    )
    expect(bad.receiver.received).to.have.length(12)
    await until('it is known to be quick', async () => (await healthOf(bad))?.slow === false)
    expect(new Set((await deliveriesOf(house, bad.merchant)).map(({ attempts }) => attempts))).to.deep.equal(
      new Set([1]),
    )
  })
})
