import { expect } from 'chai'
import { createIntent, deliveriesOf, subscribe } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const kills = 50
const killedTogether = 5

/** Each time a worker is killed, some attempts are open: at a receiver that is quick, and at one that takes its time. */
describe('Workers killed in the middle of attempts, 50 times', function () {
  this.timeout(180_000)
  let house: House
  let receiver: Receiver
  const running = new Set<ServiceProcess>()
  before(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
  })
  after(async () => {
    await Promise.all([...running].map((worker) => worker.stop()))
    await receiver.close()
    await house.close()
  })

  async function startWorker(): Promise<ServiceProcess> {
    const worker = await startProcess('worker', house, {
      WEBHOOK_ALLOWED_HOSTS: receiver.host,
      WEBHOOK_RETRY_SECONDS: '0.5,0.5,0.5,0.5,0.5,0.5,0.5',
    })
    running.add(worker)
    return worker
  }

  it('lose no delivery; each reaches its end, with its 8 attempts at most and no more POSTs than those and the interruptions', async () => {
    const posts = new Map<string, number>()
    receiver.respondWith((res, count, { json }) => {
      posts.set(json.id, (posts.get(json.id) ?? 0) + 1)
      // A third of them fails; some are slow enough to be held back.
      setTimeout(() => res.writeHead(count % 3 === 0 ? 500 : 200).end(), count % 7 === 0 ? 1_200 : 150)
    })
    const merchant = await house.merchant()
    await subscribe(house, merchant, receiver.url, ['payment.created'])
    let killed = 0
    while (killed < kills) {
      const workers = await Promise.all(Array.from({ length: killedTogether }, startWorker))
      const before = receiver.received.length
      await Promise.all(Array.from({ length: 10 }, () => createIntent(house, merchant)))
      await until('attempts are open', () => receiver.received.length > before, 20_000)
      for (const worker of workers) {
        worker.kill('SIGKILL')
        running.delete(worker)
        killed += 1
      }
      await Promise.all(workers.map(({ ended }) => ended))
    }
    await startWorker()
    const made = (kills / killedTogether) * 10
    const ends = await until(
      'every delivery reached its end',
      async () => {
        const now = await deliveriesOf(house, merchant)
        return (
          now.length === made && now.every(({ status }) => status === 'DELIVERED' || status === 'DEAD') && now
        )
      },
      60_000,
    )
    for (const { _id, status, attempts } of ends) {
      expect(attempts).to.be.within(1, 8)
      expect(status === 'DELIVERED' || attempts === 8).to.equal(true)
      expect(posts.get(_id)).to.be.within(attempts, attempts + kills)
    }
  })
})
