import { connect, createServer, type Socket } from 'node:net'
import { apiKeys } from '../../src/businesses/api-key.ts'
import { createGate } from './gate.ts'
import { listen } from './listen.ts'

interface Death {
  isDead(): boolean
  isLast(command: string): boolean
  fate: 'lost' | 'unanswered' | 'late' | 'paused'
  onEnd(): void
}

/** At a given command, its connections go dead in both directions, and stay dead. */
export async function openMongoProxy(mongodbUrl: string, death: Death) {
  const target = new URL(mongodbUrl)
  const sockets = new Set<Socket>()
  let sendLate: (() => void) | null = null
  const performed = createGate()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let lastRequest: number | null = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    // A held-back command is still sent after its process has stopped waiting.
    client.on('close', () => {
      if (lastRequest === null) upstream.destroy()
    })
    upstream.on('close', () => client.destroy())
    onMessages(client, (message) => {
      if (death.isDead()) return
      const command = commandOf(message)
      const last = command !== null && death.isLast(command)
      if (last) lastRequest = message.readInt32LE(4)
      if (!last || death.fate === 'unanswered') upstream.write(message)
      else {
        if (death.fate !== 'lost') sendLate = () => void upstream.write(message)
        death.onEnd()
      }
    })
    onMessages(upstream, (message) => {
      if (!death.isDead()) client.write(message)
      if (message.readInt32LE(8) !== lastRequest) return
      performed.open()
      death.onEnd()
    })
  })
  const { host, close } = await listen(server)
  return {
    // Otherwise the driver would connect to the address that the replica set knows.
    url: `${mongodbUrl.replace(target.host, host)}&directConnection=true`,
    async release() {
      if (sendLate === null) return
      sendLate()
      await performed.passed
    },
    close() {
      void close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function onMessages(socket: Socket, handle: (message: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes])
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0)
      handle(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  })
}

const opMsg = 2013
/** Header, flags, the first section's kind, its document's length and its first field's type. */
const nameStart = 16 + 4 + 1 + 4 + 1
const driverCommands = new Set(['hello', 'ping', 'endSessions'])
const keys = apiKeys.name

/** Null for the driver's own commands, and for a key's last used day. Only transactions have `autocommit`. */
function commandOf(message: Buffer): string | null {
  if (message.readInt32LE(12) !== opMsg) return null
  const name = message.toString('utf8', nameStart, message.indexOf(0, nameStart))
  const isNote = name === 'update' && collectionOf(message, name) === keys && !message.includes('autocommit')
  return driverCommands.has(name) || isNote ? null : name
}

function collectionOf(message: Buffer, command: string): string {
  const start = nameStart + command.length + 1 + 4
  return message.toString('utf8', start, message.indexOf(0, start))
}
