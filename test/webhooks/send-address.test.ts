import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { isIpWithin, parseIpRange } from '../../src/platform/network.ts'
import { resolveAddresses } from '../../src/webhooks/sender/resolve.ts'
import type { SentAttempt } from '../../src/webhooks/sender/send.ts'
import { closing, httpsEndpoint, rawEndpoint, silentEndpoint } from './endpoint-servers.ts'
import {
  attemptOverTls,
  expectStage,
  expectTimeout,
  failing,
  forever,
  hostName,
  loopback,
  okEndpoint,
  resolvingTo,
  sender,
  shortTimeout,
  stopAll,
} from './sending.ts'

describe('The webhook sender over TLS', () => {
  afterEach(stopAll)

  it('delivers to a host if its certificate names it', async () => {
    let servername: unknown = null
    const endpointServer = await httpsEndpoint('endpoint', (req, res) => {
      servername = (req.socket as TLSSocket & { servername: unknown }).servername
      res.end()
    })
    expect(await attemptOverTls(endpointServer, {}, hostName)).to.include({ stage: null })
    expect(servername).to.equal(hostName)
  })

  const broken: [certificate: string, name: string, reason: string][] = [
    ['self-signed', hostName, 'self-signed'],
    ['expired', hostName, 'expired'],
    ['not-yet-valid', hostName, 'not valid yet'],
    ['endpoint', 'other.example.com', 'a different host'],
  ]
  for (const [certificate, name, reason] of broken)
    it(`rejects the "${certificate}" certificate for ${name}, even if the environment disables certificate checks`, async () => {
      let requests = 0
      const endpointServer = await httpsEndpoint(certificate, (_req, res) => res.end(String(++requests)))
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
      const attempt = await attemptOverTls(endpointServer, {}, name).finally(
        () => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'],
      )
      expectStage(attempt, 'tls')
      expect(attempt).to.have.property('error').that.contains(reason)
      expect(requests).to.equal(0)
    })

  it('trusts only public certificate authorities by default', async () => {
    const endpointServer = await httpsEndpoint('endpoint', (_req, res) => res.end())
    const made = sender([`${hostName}:${endpointServer.port}`], { resolve: loopback })
    const attempt = await made.post(`https://${hostName}:${endpointServer.port}/`)
    expectStage(attempt, 'tls')
    expect(attempt).to.have.property('error').that.contains('trusted authority')
  })

  it('reports a TLS handshake that fails or never finishes', async () => {
    const rude = await rawEndpoint((socket) => socket.once('data', () => socket.destroy()))
    for (const each of [await okEndpoint(), rude])
      expectStage(await attemptOverTls(each, {}, hostName), 'tls')
    const silent = await silentEndpoint()
    expectTimeout(await attemptOverTls(silent, shortTimeout, hostName))
    await closing(silent.connections[0] as Socket)
  })
})

/** An address that is public when it is checked, but loopback when it is read again to connect. */
function changingAddress() {
  let reads = 0
  return {
    family: 4,
    get address() {
      return reads++ === 0 ? '93.184.216.34' : '127.0.0.1'
    },
    reads: () => reads,
  }
}

describe('The webhook sender with host names', () => {
  afterEach(stopAll)

  it('rejects a name with more than 100 addresses without checking them', async () => {
    const resolve = resolvingTo(Array.from({ length: 101 }, (_, at) => `93.184.216.${at}`))
    const attempt = await sender([], { resolve }).post(`https://${hostName}/`)
    expectStage(attempt, 'dns')
    expect(attempt).to.include({ error: 'The host name has more than 100 addresses.' })
  })

  /** The addresses that `resolveAddresses` returns for a name that has these, or the stage of the fault. */
  const found = async (addresses: string[], blocked: string[] = [], allowed = false) => {
    const ranges = blocked.map(parseIpRange)
    const lookup = {
      resolve: resolvingTo(addresses),
      isBlocked: (address: string) => isIpWithin(ranges, address),
    }
    const result = await resolveAddresses(
      lookup,
      { hostname: hostName, allowed },
      new AbortController().signal,
    )
    return 'fault' in result ? result.fault.stage : result.addresses.map(({ address }) => address)
  }

  it('connects to the public IPv4 address if DNS64 also returns a translated address', async () => {
    expect(await found(['93.184.216.34', '64:ff9b::5db8:d822'])).to.deep.equal(['93.184.216.34'])
    expect(await found(['64:ff9b::5db8:d822', '2606:4700:4700::1111'])).to.deep.equal([
      '2606:4700:4700::1111',
    ])
    const dropped = Array.from({ length: 9 }, (_, at) => `64:ff9b::5db8:d8${20 + at}`)
    expect(await found([...dropped, '93.184.216.34'])).to.deep.equal(['93.184.216.34'])
    expect(await found(['64:ff9b::5db8:d822'])).to.equal('address')
  })

  it('rejects a name that has any non-public address', async () => {
    const refused = ['64:ff9b::a00:1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::5db8:d822']
    for (const address of [...refused, '::ffff:93.184.216.34', '2002:5db8:d822::1', 'fd00::1'])
      expect(await found(['93.184.216.34', address]), address).to.equal('address')
  })

  it('never connects to an address in a blocked range', async () => {
    const blocked = ['2001:67c:64::/96', '198.51.99.0/24', '93.184.216.35']
    const nat64 = '2001:67c:64::a00:1'
    expect(await found([nat64])).to.deep.equal([nat64])
    expect(await found([nat64], blocked)).to.equal('address')
    expect(await found(['93.184.216.34', nat64], blocked)).to.deep.equal(['93.184.216.34'])
    expect(await found(['198.51.99.255', '93.184.216.35'], blocked)).to.equal('address')
    expect(await found(['127.0.0.1'], ['127.0.0.0/8'], true)).to.equal('address')
    expect(await found(['127.0.0.1', '::1'], ['127.0.0.0/8'], true)).to.deep.equal(['::1'])
  })

  for (const [what, scheme, isAllowed, blocked] of [
    ['is public, whatever address the name resolved to', 'https', false, []],
    ['is in no blocked range, even of an allowed host', 'http', true, ['127.0.0.0/8']],
  ] as const)
    it(`checks that the open socket's peer address ${what}`, async () => {
      const { port } = await okEndpoint()
      const liar = changingAddress()
      const options = { resolve: async () => [liar], blockedRanges: blocked.map(parseIpRange) }
      const made = sender(isAllowed ? [`${hostName}:${port}`] : [], options)
      expectStage(await made.post(`${scheme}://${hostName}:${port}/`), 'address')
      expect(liar.reads()).to.be.at.least(2)
    })

  it('resolves the name again for each connection, and rejects a name that has since become private', async () => {
    const endpointServer = await okEndpoint()
    // 2d00::/8 counts as public but is not assigned, so the first attempt can't connect.
    const addresses = ['2d00::1', '127.0.0.1', '2d00::1']
    const resolve = async () => resolvingTo(addresses.splice(0, 1))()
    const made = sender([], { ...shortTimeout, resolve })
    const url = `https://${hostName}:${endpointServer.port}/`
    const stages = []
    for (let time = 0; time < 3; time++) stages.push(await made.post(url))
    expectStage(stages[1] as SentAttempt, 'address')
    for (const other of [stages[0], stages[2]])
      expect(other).to.have.property('stage').that.is.oneOf(['connect', 'timeout'])
    expect(endpointServer.connections).to.have.length(0)
  })

  it('resolves the name only once per connection', async () => {
    const endpointServer = await okEndpoint()
    let queries = 0
    const resolve = async () => (queries++ === 0 ? loopback() : resolvingTo(['127.0.0.99'])())
    const made = sender([`${hostName}:${endpointServer.port}`], { resolve })
    const url = `http://${hostName}:${endpointServer.port}/`
    expect(await made.post(url)).to.include({ stage: null })
    expect(await made.post(url)).to.include({ stage: null })
    expect(queries).to.equal(1)
  })

  it('connects to the next address if a connection is refused', async () => {
    const endpointServer = await okEndpoint()
    const made = sender([`${hostName}:${endpointServer.port}`], {
      resolve: resolvingTo(['::1', '127.0.0.1']),
    })
    expect(await made.post(`http://${hostName}:${endpointServer.port}/`)).to.include({ stage: null })
  })

  it('checks the URL again on each attempt', async () => {
    const endpointServer = await okEndpoint()
    const made = sender([], { resolve: loopback })
    const at = `${hostName}:${endpointServer.port}`
    for (const url of [`https://user@${at}/`, `http://${at}/`, `https://${hostName}:25/`, 'nonsense'])
      expectStage(await made.post(url), 'address')
    expect(endpointServer.connections).to.have.length(0)
  })

  it("reports a name that does not exist or can't be resolved", async () => {
    for (const resolve of [failing('ENOTFOUND'), failing('ENODATA'), failing('ESERVFAIL'), async () => []])
      expectStage(await sender([], { resolve }).post(`https://${hostName}/`), 'dns')
  })

  it('gives up on name servers that never respond', async () =>
    expectTimeout(await sender([], { ...shortTimeout, resolve: forever }).post(`https://${hostName}/`)))

  it('resolves allowed hosts in the same way as the machine itself', async () => {
    const endpointServer = await okEndpoint()
    const made = sender([`localhost:${endpointServer.port}`], {})
    expect(await made.post(`http://localhost:${endpointServer.port}/`)).to.include({ stage: null })
  })

  const proxies = (port: number): Record<string, string> => {
    const names = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
    const set = names.map((name) => [name, `http://127.0.0.1:${port}`])
    return { ...Object.fromEntries(set), NODE_USE_ENV_PROXY: '1' }
  }

  it('ignores the proxy settings that Node.js reads at startup', async () => {
    const [proxy, endpointServer] = [await okEndpoint(), await okEndpoint()]
    const host = `127.0.0.1:${endpointServer.port}`
    const program = `
      import { createSender } from './src/webhooks/sender/send.ts'
      const sender = createSender({ timeoutMs: 10_000, maxSockets: 1, allowedHosts: new Set(['${host}']), blockedRanges: [], proxy: null, userAgent: 'x' })
      const { stage, status } = await sender.send({ owner: 'b', url: 'http://${host}/', headers: {}, body: '{}' })
      await sender.close()
      process.stdout.write(stage + ' ' + status)
    `
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: new URL('../..', import.meta.url),
      env: { PATH: process.env['PATH'], ...proxies(proxy.port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(await text(child.stdout)).to.equal('null 200')
    expect(proxy.connections).to.have.length(0)
  })
})
