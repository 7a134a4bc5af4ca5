// Preloaded into the attacked processes. Records connections, memory and changes of built-in prototypes, and resolves
// names through the run's name server.
import dns from 'node:dns/promises'
import { appendFileSync } from 'node:fs'
import net from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { watchPrototypes } from './prototypes.mjs'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

const { ATTACK_RECORD: record, ATTACK_NAME_SERVER: nameServer } = process.env
const write = (line) => appendFileSync(record, `${JSON.stringify(line)}\n`)

// Also called for TLS connections.
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function recordAndConnect(...given) {
  this.on('connectionAttempt', (address, port) => write({ what: 'connect', address, port }))
  return connect.apply(this, given)
}

const { Resolver } = dns
dns.Resolver = function resolverOfTheRun(options) {
  const resolver = new Resolver(options)
  resolver.setServers([nameServer])
  return resolver
}

const strangeProperties = watchPrototypes()

process.on('SIGUSR2', () => {
  // The first collection only makes some objects unreachable. The second frees them.
  collect()
  collect()
  // Buffers live outside the heap.
  const { heapUsed, external } = process.memoryUsage()
  write({ what: 'state', held: heapUsed + external, strange: strangeProperties() })
})
