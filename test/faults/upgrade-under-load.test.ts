import { join } from 'node:path'
import { expect } from 'chai'
import { subscribe } from '../support/acts.ts'
import { built } from '../support/built.ts'
import { builtEarlier } from '../support/earlier-version.ts'
import { asMerchant, type House, type Merchant, openHouse } from '../support/house.ts'
import { runCommand, type ServiceProcess, startProcessOf } from '../support/processes.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { expectTold, type Shoppers, startShoppers, tradeEvents } from '../support/shoppers.ts'
import { until } from '../support/until.ts'

describe('An upgrade under load, on the database of the version before', function () {
  this.timeout(120_000)
  let house: House
  let receiver: Receiver
  let merchant: Merchant
  let earlier: string
  let shoppers: Shoppers | null = null
  const processes: ServiceProcess[] = []
  before(async () => {
    earlier = builtEarlier()
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
    // All that there is, the earlier version makes.
    await house.deps.mongo.dropDatabase()
  })
  after(async () => {
    await shoppers?.stop()
    await Promise.all(processes.map((each) => each.stop()))
    await receiver.close()
    await house.close()
  })

  async function start(build: string, brand: string): Promise<[ServiceProcess, ServiceProcess]> {
    const settings = { WEBHOOK_ALLOWED_HOSTS: receiver.host, WEBHOOK_HEADER_BRAND: brand }
    const both = Promise.all([
      startProcessOf(build, 'web', house, settings),
      startProcessOf(build, 'worker', house, settings),
    ])
    processes.push(...(await both))
    return both
  }

  const admin = async (args: string): Promise<{ id: string; key: string }> =>
    JSON.parse(await runCommand(join(earlier, 'src/admin/main.js'), [...args.split(' '), '--json'], house))

  const deliveredBy = (brand: string): number =>
    receiver.received.filter(({ headers }) => `x-${brand}-signature` in headers).length

  it('fails no request, and each version goes on with what the other wrote', async () => {
    const [web, worker] = await start(earlier, 'earlier')
    const { id } = await admin('business create --name Shop')
    merchant = asMerchant(id, await admin(`key create --business ${id} --mode test --kind secret`))
    await subscribe(house, merchant, receiver.url, tradeEvents)

    // In turn to each: what is read, sent again, paid and refunded is mostly what the other has made or changed.
    const fronts = [web.origin]
    let turn = 0
    const load = startShoppers(merchant, 4, () => {
      turn += 1
      return fronts[turn % fronts.length] ?? expect.fail()
    })
    shoppers = load
    await until('load on the earlier version', () => load.told.length > 10)
    await runCommand(join(built(), 'src/release.js'), [], house)
    const [nextWeb] = await start(built(), 'next')
    fronts.push(nextWeb.origin)
    const alone = load.told.length
    await until('load on both', () => load.told.length > alone + 40 && deliveredBy('next') > 10)
    expect(deliveredBy('earlier')).to.be.above(10)

    fronts.shift()
    for (const old of [web, worker]) old.kill('SIGTERM')
    for (const old of [web, worker]) expect(await old.ended, old.lastWords()).to.equal(0)
    const together = load.told.length
    await until('load on the next version', () => load.told.length > together + 10)
    await load.stop()
    expect(load.faults).to.deep.equal([])
    await expectTold(house, receiver, load.told)
  })
})
