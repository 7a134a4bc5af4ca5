import { expect } from 'chai'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { createIntent, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { startCountingReceiver } from './counting-receiver.ts'

/** `KILLS=2 npm run test:faults` makes only so many. */
const kills = Number(process.env['KILLS'] ?? 25)

/** Every delivery is refused so often before it is taken. */
const refusals = 2

/** After the last kill: its leases end after 10 s, the sweep comes within 12 s, and two more attempts, those at the slow one in turn. */
const settleMs = 60_000

describe('Two workers, one of which is killed in the middle of an attempt, again and again', () => {
  let house: House
  let receiver: Awaited<ReturnType<typeof startCountingReceiver>>
  let merchants: Merchant[]
  const workers: { brand: string; process: ServiceProcess }[] = []
  let started = 0
  let created = 0

  before(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startCountingReceiver(refusals)])
    merchants = await Promise.all(Array.from({ length: 5 }, () => house.merchant()))
    const endpoints = await Promise.all(
      merchants.map((merchant) => subscribe(house, merchant, receiver.url, ['payment.created'])),
    )
    receiver.answerSlowly(endpoints[0]?.id ?? '')
  })
  after(async () => {
    await Promise.all(workers.map(({ process }) => process.stop()))
    await receiver.close()
    await house.close()
  })

  async function startWorker(): Promise<void> {
    started += 1
    const brand = `w${started}`
    const settings = { WEBHOOK_ALLOWED_HOSTS: receiver.host, WEBHOOK_HEADER_BRAND: brand }
    const quick = { WEBHOOK_RETRY_SECONDS: Array.from({ length: 7 }, () => 0.2).join() }
    workers.push({ brand, process: await startProcess('worker', house, { ...settings, ...quick }) })
  }

  async function createOne(): Promise<void> {
    created += 1
    await createIntent(house, merchants[created % merchants.length] as Merchant)
  }

  /** Kills the worker that lives longest, once it has an attempt under way, and starts another in its place. */
  async function killOne(): Promise<void> {
    const [victim] = workers.splice(0, 1)
    if (victim === undefined) return expect.fail('there is no worker')
    await until('an attempt of the victim', async () => {
      await createOne()
      return receiver.openOf(victim.brand) > 0
    })
    const answered = [...receiver.giveUp(victim.brand)]
    await until('all that it was told is written down', async () => {
      const found = await house.deps.Delivery.find({ _id: { $in: answered } }, { attempts: 1 }).lean()
      return found.every(({ _id, attempts }) => attempts === receiver.answers(_id))
    })
    victim.process.kill('SIGKILL')
    expect(await victim.process.ended).to.equal(null)
    await startWorker()
  }

  it(`brings each delivery to its end, with no attempt lost or used up by ${kills} kills`, async function () {
    this.timeout(settleMs + kills * 10_000)
    await startWorker()
    await startWorker()
    for (let killed = 0; killed < kills; killed++) await killOne()
    const businessId = { $in: merchants.map((merchant) => merchant.businessId) }
    await until(
      'all delivered',
      async () => (await house.deps.Delivery.countDocuments({ businessId, status: 'DELIVERED' })) === created,
      settleMs,
    )
    const deliveries = await house.deps.Delivery.find({ businessId }).lean<Delivery[]>()
    expect(deliveries).to.have.length(created)
    let interrupted = 0
    for (const { _id, attempts, attemptLog } of deliveries) {
      expect([attempts, attemptLog.length, receiver.answers(_id)], _id).to.deep.equal(
        Array.from({ length: 3 }, () => refusals + 1),
      )
      expect(receiver.seen(_id), _id).to.equal(attempts + receiver.interruptions(_id))
      interrupted += receiver.interruptions(_id)
    }
    expect(interrupted).to.be.at.least(kills)
  })
})
