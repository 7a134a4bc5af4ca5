import { once } from 'node:events'
import https from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createTimeMeters, timeMeterLimits } from '../../src/limits/rate.ts'
import { createGauge } from '../../src/webhooks/sender/gauge.ts'
import { closing, pem, rawEndpoint } from './endpoint-servers.ts'
import { expectStage, hostName, loopback, sender, stopAll } from './sending.ts'

describe("The limit on a business's CPU time for TLS handshakes and responses", () => {
  afterEach(stopAll)

  it('is not reached by a TLS handshake over 16 KiB, because the sender aborts it', async () => {
    const [certificate, key] = [pem('endpoint.pem'), pem('endpoint.key')]
    const server = https.createServer({ cert: certificate.repeat(40), key }, (_req, res) => res.end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const host = `${hostName}:${(server.address() as AddressInfo).port}`
    const made = sender([host], { resolve: loopback, ca: pem('authority.pem') })
    const send = () => made.post(`https://${host}/`)
    const refused = await send()
    expectStage(refused, 'tls')
    expect(refused).to.include({ error: 'The TLS handshake, including its certificates, is too large.' })
    server.setSecureContext({ cert: certificate, key })
    expect(await send()).to.include({ stage: null })
    server.closeAllConnections()
    server.close()
  })

  for (const [what, finish] of [
    ['then ends the connection', (socket: Socket) => socket.end()],
    ['then resets the connection', (socket: Socket) => socket.resetAndDestroy()],
  ] as const)
    it(`delays received bytes once it is reached, even if the endpoint ${what}`, async () => {
      const endpointServer = await rawEndpoint((socket) => void socket.write('abc'))
      const raw = connect(endpointServer.port, '127.0.0.1').on('error', () => {})
      await once(raw, 'connect')
      let isOpen = false
      let counted = 0
      const { stream, begin } = createGauge(raw)
      begin('handshake', { waitMs: () => (isOpen ? 0 : 5), count: () => void (counted += 1) })
      const chunks: string[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(String(chunk)))
      await once(raw, 'data')
      finish(endpointServer.connections[0] as Socket)
      await closing(raw)
      expect([chunks, counted]).to.deep.equal([[], 0])
      isOpen = true
      await once(stream, 'close')
      expect([chunks.join(''), counted > 0]).to.deep.equal(['abc', true])
    })

  it("is a tenth of a process's time for each business", async () => {
    let now = 0
    const ofBusiness = createTimeMeters(timeMeterLimits.endpoints, () => now)
    ofBusiness('greedy').count(250)
    expect(ofBusiness('greedy').waitMs()).to.be.above(0)
    expect(ofBusiness('other').waitMs()).to.equal(0)
    now = 1_999
    expect(ofBusiness('greedy').waitMs()).to.be.above(0)
    now = 2_001
    expect(ofBusiness('greedy').waitMs()).to.equal(0)
    // A business can't save up time without limit.
    now = 1_000_000
    ofBusiness('greedy').count(51)
    expect(ofBusiness('greedy').waitMs()).to.be.above(0)
  })

  it("is a fifth of a process's time in total for businesses that have reached their own limit", () => {
    let now = 0
    const ofBusiness = createTimeMeters(timeMeterLimits.endpoints, () => now)
    const greedy = ['a', 'b', 'c', 'd']
    for (const name of greedy) ofBusiness(name).count(150)
    now = 1_999
    for (const name of greedy) expect(ofBusiness(name).waitMs()).to.be.above(0)
    expect(ofBusiness('other').waitMs()).to.equal(0)
    now = 2_100
    for (const name of greedy) expect(ofBusiness(name).waitMs()).to.equal(0)
    // They are idle now.
    now = 100_000
    ofBusiness('busy').count(150)
    now += 1_001
    expect(ofBusiness('busy').waitMs()).to.equal(0)
  })
})
