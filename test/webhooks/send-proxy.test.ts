import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { freePort } from '../../dev/servers/free-port.ts'
import { parseProxyUrl } from '../../src/config/formats.ts'
import { parseIpRange } from '../../src/platform/network.ts'
import type { SenderOptions } from '../../src/webhooks/sender/send.ts'
import { closing, httpEndpoint, httpsEndpoint, pem, rawEndpoint, silentEndpoint } from './endpoint-servers.ts'
import {
  attemptOverTls,
  expectStage,
  expectTimeout,
  hostName,
  okEndpoint,
  repeat,
  resolvingTo,
  sender,
  shortTimeout,
  stopAll,
} from './sending.ts'

const login = 'relay:p%40ss%3Aword'
const proxyAt = (port: number) => ({ proxy: parseProxyUrl(`http://${login}@127.0.0.1:${port}`) })
const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

type Connect = { authority: string | undefined; authorization: string | undefined }

/** Connects every public address to an endpoint on this machine, as a proxy on the internet would. */
async function startProxy(endpointPort: number, judge: (authority: string) => string = () => established) {
  const connects: Connect[] = []
  const sockets: Socket[] = []
  const server = http.createServer((_req, res) => res.writeHead(405).end())
  server.on('connect', (req, socket, head) => {
    connects.push({ authority: req.url, authorization: req.headers['proxy-authorization'] })
    const response = judge(req.url ?? '')
    sockets.push(socket.on('error', () => undefined) as Socket)
    if (response !== established) return void socket.write(response)
    const upstream = connect(endpointPort, '127.0.0.1', () => {
      socket.write(response)
      upstream.write(head)
      socket.pipe(upstream).pipe(socket)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('close', () => upstream.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stops.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const { port } = server.address() as AddressInfo
  return { connects, sockets, options: proxyAt(port) }
}

const stops: (() => Promise<void>)[] = []
const publicOnly = { resolve: resolvingTo(['93.184.216.34']), ca: pem('authority.pem') }
const authorities = (connects: Connect[]) => connects.map(({ authority }) => authority)

describe('The webhook sender with WEBHOOK_PROXY_URL', () => {
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
    await stopAll()
  })

  it('asks for the checked address, and checks the certificate of the host name itself', async () => {
    const proxy = await startProxy((await httpsEndpoint('endpoint', (_req, res) => res.end('ok'))).port)
    const made = sender([], { ...publicOnly, ...proxy.options })
    for (const _each of [1, 2])
      expect(await made.post(`https://${hostName}/hooks`)).to.include({ stage: null, responseText: 'ok' })
    const authorization = `Basic ${Buffer.from('relay:p@ss:word').toString('base64')}`
    expect(proxy.connects).to.deep.equal([{ authority: '93.184.216.34:443', authorization }])
    const other = await made.post('https://other.example.com/hooks')
    expectStage(other, 'tls')
    expect(other).to.include({ error: 'The certificate is for a different host name.' })
  })

  it('sends plain http to an allowed host through the proxy too', async () => {
    const proxy = await startProxy((await okEndpoint()).port)
    const made = sender([`${hostName}:8080`], { ...proxy.options, resolve: resolvingTo(['fd00::7']) })
    for (const _each of [1, 2])
      expect(await made.post(`http://${hostName}:8080/`)).to.include({ stage: null, status: 200 })
    expect(authorities(proxy.connects)).to.deep.equal(['[fd00::7]:8080'])
  })

  it('never asks for an address that is private or blocked', async () => {
    const proxy = await startProxy((await okEndpoint()).port)
    const blockedRanges = [parseIpRange('198.51.99.0/24')]
    for (const address of ['198.51.99.1', '10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', 'fd00::1']) {
      const made = sender([], { ...proxy.options, blockedRanges, resolve: resolvingTo([address]) })
      expectStage(await made.post(`https://${hostName}/`), 'address')
    }
    expect(proxy.connects).to.deep.equal([])
  })

  it('asks for the next address if the proxy reports that one is unreachable, or says nothing', async () => {
    const endpointServer = await httpsEndpoint('endpoint', (_req, res) => res.end())
    const broken = ['93.184.216.34:443', '93.184.216.35:443']
    const [unreachable = '', silent = ''] = broken
    const responses = { [unreachable]: 'HTTP/1.1 503 No\r\n\r\n', [silent]: '' }
    const proxy = await startProxy(endpointServer.port, (authority) => responses[authority] ?? established)
    const resolve = resolvingTo(['93.184.216.34', '93.184.216.35', '2606:4700::1'])
    const made = sender([], { ...publicOnly, ...proxy.options, resolve })
    expect(await made.post(`https://${hostName}/`)).to.include({ stage: null })
    expect(authorities(proxy.connects)).to.deep.equal([...broken, '[2606:4700::1]:443'])
  })

  const responses: [what: string, stage: string, error: string, respond: (socket: Socket) => void][] = [
    ['rejects the credentials', 'proxy', 'credentials', (socket) => socket.write('HTTP/1.1 407 No\r\n\r\n')],
    ['forbids the host', 'proxy', 'refused', (socket) => socket.write('HTTP/1.1 403 No\r\n\r\nbody')],
    ['redirects', 'proxy', 'refused', (socket) => socket.write('HTTP/1.1 302 No\r\nlocation: /\r\n\r\n')],
    ['sends an interim response', 'proxy', 'refused', (socket) => socket.write('HTTP/1.1 100 Wait\r\n\r\n')],
    ["can't reach the host", 'connect', 'reach', (socket) => socket.write('HTTP/1.1 502 No\r\n\r\n')],
    ['speaks another protocol', 'proxy', 'valid', (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')],
    ['sends more than its response', 'proxy', 'valid', (socket) => socket.write(`${established}x`)],
    ['closes the connection', 'proxy', 'valid', (socket) => socket.end()],
    ['resets the connection', 'proxy', 'valid', (socket) => socket.resetAndDestroy()],
    ['closes after half a response', 'proxy', 'valid', (socket) => socket.end('HTTP/1.1 200 O')],
    [
      'sends 100 KB of headers',
      'proxy',
      'valid',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
    ],
    ['closes the tunnel', 'tls', 'handshake', (socket) => socket.end(established)],
  ]
  for (const [what, stage, error, respond] of responses)
    it(`reports a proxy that ${what}, without the credentials`, async () => {
      const proxy = await rawEndpoint((socket) => socket.once('data', () => respond(socket)))
      const attempt = await sender([], { ...publicOnly, ...proxyAt(proxy.port) }).post(`https://${hostName}/`)
      expectStage(attempt, stage)
      expect(attempt.error)
        .to.match(new RegExp(error))
        .and.not.match(/relay|p@ss|word/)
      if (stage !== 'tls') expect(attempt.error).to.contain('webhook proxy')
      await closing(proxy.connections[0] as Socket)
    })

  it("reports a proxy that doesn't exist or doesn't listen", async () => {
    const missing = { proxy: parseProxyUrl('http://proxy.invalid:3128') }
    for (const options of [proxyAt(await freePort()), missing] as Partial<SenderOptions>[]) {
      const attempt = await sender([], { ...publicOnly, ...options }).post(`https://${hostName}/`)
      expectStage(attempt, 'proxy')
      expect(attempt).to.include({ error: 'The webhook proxy could not be reached.' })
    }
  })

  it('gives up on a proxy that never responds, or responds byte by byte', async () => {
    const dripping = await rawEndpoint((socket) => {
      socket.resume().write('HTTP/1.1 200 ')
      repeat(socket, 'x', 20)
    })
    for (const { port, connections } of [await silentEndpoint(), dripping]) {
      const made = sender([], { ...publicOnly, ...shortTimeout, ...proxyAt(port) })
      const attempt = await made.post(`https://${hostName}/`)
      expectTimeout(attempt)
      expect(attempt).to.include({ error: 'The webhook proxy did not connect to the host in time.' })
      await closing(connections[0] as Socket)
    }
  })

  it('reports a proxy that dies during a request, and opens a new tunnel after that', async () => {
    let dies = true
    const endpointServer = await httpEndpoint((_req, res) => {
      if (dies) for (const socket of proxy.sockets) socket.resetAndDestroy()
      res.end()
    })
    const proxy = await startProxy(endpointServer.port)
    const made = sender([`${hostName}:8080`], { ...publicOnly, ...proxy.options })
    const post = () => made.post(`http://${hostName}:8080/`)
    expectStage(await post(), 'closed')
    dies = false
    expect(await post()).to.include({ stage: null })
    // The proxy restarts while the connection is idle.
    const [, second] = proxy.sockets
    second?.destroy()
    await closing(endpointServer.connections[1] as Socket)
    expect(await post()).to.include({ stage: null })
    expect(proxy.connects).to.have.length(3)
  })

  it('limits the response as it does without a proxy', async () => {
    const lines = `x-more: ${'x'.repeat(990)}\r\n`.repeat(17)
    const endpointServer = await rawEndpoint((socket) => {
      socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${lines}\r\n`))
    })
    const proxy = await startProxy(endpointServer.port)
    const made = sender([`${hostName}:8080`], { ...publicOnly, ...proxy.options })
    expectStage(await made.post(`http://${hostName}:8080/`), 'too_large')
    const silent = await silentEndpoint()
    const other = await startProxy(silent.port)
    expectTimeout(await attemptOverTls(silent, { ...other.options, ...shortTimeout }, hostName))
  })

  it('frees the socket after every failure of the proxy', async () => {
    const endpointServer = await httpsEndpoint('endpoint', (_req, res) => res.end())
    let refuses = true
    const proxy = await startProxy(endpointServer.port, () =>
      refuses ? 'HTTP/1.1 403 No\r\n\r\n' : established,
    )
    const made = sender([], { ...publicOnly, ...proxy.options, maxSockets: 1 })
    for (const _each of [1, 2, 3]) expectStage(await made.post(`https://${hostName}/`), 'proxy')
    refuses = false
    for (const _each of [1, 2]) expect(await made.post(`https://${hostName}/`)).to.include({ stage: null })
    expect(proxy.connects).to.have.length(4)
  })
})
