// TCP proxies that delay what clients send, like a network. ROUTES lists `port:target port`, separated by commas.
import { connect, createServer, type Socket } from 'node:net'

const delayMs = Number(process.env.DELAY_MS)

for (const route of (process.env.ROUTES ?? '').split(',')) {
  const [port, target = 0] = route.split(':').map(Number)
  createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const server = connect({ port: target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    passOnLater(client, server)
    server.pipe(client)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.end())
    }
  }).listen(port, '127.0.0.1')
}

/** Passes on in order, each piece after the delay. Reads no more while the other side takes no more. */
function passOnLater(from: Socket, to: Socket): void {
  const waiting: { at: number; bytes: Buffer | null }[] = []
  const passOn = (): void => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      const leftMs = next.at - performance.now()
      if (leftMs > 0) return void setTimeout(passOn, leftMs)
      waiting.shift()
      if (next.bytes === null) to.end()
      else if (!to.write(next.bytes)) {
        from.pause()
        to.once('drain', () => from.resume())
      }
    }
  }
  const add = (bytes: Buffer | null): void => {
    if (waiting.push({ at: performance.now() + delayMs, bytes }) === 1) setTimeout(passOn, delayMs)
  }
  from.on('data', add)
  from.on('end', () => add(null))
}
