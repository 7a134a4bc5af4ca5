// Preloaded into the attacked processes, which run what production runs: tells whereto they connect, what they hold in memory and whether
// the prototypes are as they were. Their public names are resolved by the run's own name server.
import dns from 'node:dns/promises'
import { appendFileSync } from 'node:fs'
import net from 'node:net'
import { endWithParent } from '../../dev/end-with-parent.mjs'
import { watchPrototypes } from './prototypes.mjs'

endWithParent()

const { ATTACK_RECORD: record, ATTACK_NAME_SERVER: nameServer } = process.env
const write = (line) => appendFileSync(record, `${JSON.stringify(line)}\n`)

// A TLS connection begins here as well.
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function connectAndTell(...given) {
  this.on('connectionAttempt', (address, port) => write({ what: 'connect', address, port }))
  return connect.apply(this, given)
}

const { Resolver } = dns
dns.Resolver = function resolverHere(options) {
  const resolver = new Resolver(options)
  resolver.setServers([nameServer])
  return resolver
}

const strangeProperties = watchPrototypes()

process.on('SIGUSR2', () => {
  // Twice: what the first one only unlinks, the second one frees.
  globalThis.gc()
  globalThis.gc()
  // What Buffers hold is beside the heap.
  const { heapUsed, external } = process.memoryUsage()
  write({ what: 'state', held: heapUsed + external, strange: strangeProperties() })
})
