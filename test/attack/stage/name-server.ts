import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

const header = 12
const types: Record<number, 'ipv4' | 'ipv6'> = { 1: 'ipv4', 28: 'ipv6' }

export async function startNameServer() {
  const known = new Map<string, readonly string[]>()
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    socket.send(respondTo(question, known), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    setAddresses: (name: string, addresses: readonly string[]) => void known.set(name, addresses),
    close: () => void socket.close(),
  }
}

function respondTo(question: Buffer, known: ReadonlyMap<string, readonly string[]>): Buffer {
  const { name, end } = readName(question)
  const kind = types[question.readUInt16BE(end)]
  const addresses = known.get(name)
  const records = (addresses ?? [])
    .map((each) => ipaddr.parse(each))
    .filter((each) => each.kind() === kind)
    .map((each) => recordOf(Buffer.from(each.toByteArray())))
  const response = Buffer.concat([question.subarray(0, end + 4), ...records])
  // The flags of a recursive response, with RCODE 3 (NXDOMAIN) for an unknown name.
  response.writeUInt16BE(0x8180 + (addresses === undefined ? 3 : 0), 2)
  response.writeUInt16BE(records.length, 6)
  response.writeUInt32BE(0, 8)
  return response
}

function readName(question: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = header
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function recordOf(address: Buffer): Buffer {
  const record = Buffer.alloc(12)
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(address.length === 4 ? 1 : 28, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt16BE(address.length, 10)
  return Buffer.concat([record, address])
}
