import { subscribe } from '../support/actions.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { expectIntentsAndWebhooks, startMerchantTraffic, trafficEvents } from '../support/merchant-traffic.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

describe('A rolling restart behind a load balancer', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  let balancer: Balancer
  let merchant: Merchant
  const processes: ServiceProcess[] = []
  before(async () => {
    balancer = await startBalancer()
    merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url, trafficEvents)
  })
  after(() => {
    balancer.close()
    return Promise.all(processes.map((each) => each.stop()))
  })
  async function start(type: 'web' | 'worker'): Promise<ServiceProcess> {
    const started = await startProcess(type, service, { WEBHOOK_ALLOWED_HOSTS: endpointServer.host })
    processes.push(started)
    if (type === 'worker') return started
    balancer.add(started.origin)
    await waitFor('the balancer has it', () => balancer.isServing(started.origin))
    return started
  }
  async function replace(old: ServiceProcess, type: 'web' | 'worker'): Promise<ServiceProcess> {
    const next = await start(type)
    old.kill('SIGTERM')
    expect(await old.exited, old.recentLog()).to.equal(0)
    return next
  }

  it('causes no failed requests and no lost or duplicate deliveries, even under load', async function () {
    this.timeout(120_000)
    const [one, two, worker] = await Promise.all([start('web'), start('web'), start('worker')])
    const load = startMerchantTraffic(merchant, 3, () => balancer.origin)
    try {
      await waitFor('some load', () => load.intents.length > 10)
      const [three, next] = await Promise.all([replace(one, 'web'), replace(worker, 'worker')])
      await replace(two, 'web')
      const before = balancer.passedTo(three.origin)
      await waitFor('load on the new ones', () => balancer.passedTo(three.origin) > before + 20)
      expect(next.isAlive()).to.equal(true)
    } finally {
      await load.stop()
    }
    expect(load.faults).to.deep.equal([])
    await expectIntentsAndWebhooks(service, endpointServer, load.intents)
  })
})
