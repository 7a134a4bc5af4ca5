import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { mongo } from 'mongoose'
import { query } from '../../dev/servers/query.ts'
import { type Server, startMongo, startRedis } from '../../dev/servers.ts'
import { isAlive } from '../../dev/stack.ts'
import { withClient } from '../../ops/backup/server.ts'
import { waitFor } from '../support/wait-for.ts'
import { startCommand } from './command.ts'

describe('A local database server', () => {
  const started: { stop(): Promise<void> }[] = []
  const keep = <T extends { stop(): Promise<void> }>(server: T): T => {
    started.push(server)
    return server
  }

  after(() => Promise.all(started.map((server) => server.stop())))

  it('keeps its port and data across kill -9 and a restart', async () => {
    const database = keep(await startMongo())
    const queue = keep(await startRedis({ appendonly: true }))
    await withMongo(database.url, (db) =>
      db.collection('kept').insertOne({ n: 1 }, { writeConcern: { w: 'majority', j: true } }),
    )
    await query(queue.port, 'SET kept yes\r\n')
    for (const server of [database, queue]) {
      const { pid, url } = server
      await server.kill('SIGKILL')
      expect(server.pid).to.equal(undefined)
      expect(await query(server.port)).to.equal(undefined)
      await server.restart()
      expect(server.url).to.equal(url)
      expect(server.pid).to.not.equal(pid)
    }
    expect(await withMongo(database.url, (db) => db.collection('kept').countDocuments())).to.equal(1)
    expect(await query(queue.port, 'GET kept\r\n')).to.equal('$3\r\nyes\r\n')
  })

  it("reports why it can't start", async () => {
    const queue = keep(await startRedis())
    const second: Promise<Server | string> = startRedis({ port: queue.port }).catch((error) => error.message)
    expect(await second).to.equal(`Redis cannot start: port ${queue.port} is in use`)
  })

  it('ends and leaves nothing behind when its parent process is killed', async () => {
    const script = `
      import { startMongo, startRedis } from ${JSON.stringify(resolve('dev/servers.ts'))}
      const servers = await Promise.all([startMongo(), startRedis()])
      await servers[1].kill('SIGSTOP')
      console.log(JSON.stringify(servers.map(({ pid, folder }) => ({ pid, folder }))))
      setInterval(() => {}, 1000)`
    const owner = startCommand([process.execPath, '--input-type=module', '-e', script])
    await waitFor('the owner has started its servers', () => owner.output.stdout.includes('\n'))
    const theirs: { pid: number; folder: string }[] = JSON.parse(owner.output.stdout)
    expect(theirs.map(({ pid }) => isAlive(pid))).to.deep.equal([true, true])
    owner.kill('SIGKILL')
    for (const { pid, folder } of theirs) {
      await waitFor('the server has ended', () => !isAlive(pid))
      await waitFor('its folder is removed', () => !existsSync(folder))
    }
  })
})

const withMongo = <T>(url: string, act: (db: mongo.Db) => Promise<T>): Promise<T> =>
  withClient(url, (client) => act(client.db()), { serverSelectionTimeoutMS: 30_000 })
