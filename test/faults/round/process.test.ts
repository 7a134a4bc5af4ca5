import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openProcess, type ServiceProcess } from './process.ts'

/** A program that starts and, a moment later, dies or stops at a point, as POINT says. */
const program = `
process.on('SIGTERM', () => process.exit(0))
console.log('{"msg":"web.started"}')
if (process.env.POINT) setTimeout(() => {
  console.log(JSON.stringify({ msg: 'fault.point', point: 'create.inserted', deed: process.env.POINT, began: 4711 }))
  process.kill(process.pid, process.env.POINT === 'kill' ? 'SIGKILL' : 'SIGSTOP')
}, 100)
setInterval(() => {}, 1000)
`

describe('A service process in a round', () => {
  let build: string
  const unwanted: string[] = []
  before(() => {
    build = mkdtempSync(join(tmpdir(), 'build-'))
    mkdirSync(join(build, 'src'))
    writeFileSync(join(build, 'src/server.js'), program)
  })
  after(() => rmSync(build, { recursive: true }))
  const open = (environment: Record<string, string>): ServiceProcess =>
    openProcess({
      name: 'web-1',
      build,
      environment,
      logFile: join(build, 'web-1.log'),
      reportEnd: (message) => unwanted.push(message),
      reportStray: () => undefined,
    })

  it('counts as not serving while it is frozen and after it has been killed', async () => {
    const web = open({})
    expect(web.freeze()).to.equal(false)
    await web.start()
    expect(web.isServing()).to.equal(true)
    expect([web.freeze(), web.isServing()]).to.deep.equal([true, false])
    await web.start()
    expect(web.isServing()).to.equal(true)
    expect([await web.kill(), await web.kill(), web.isServing()]).to.deep.equal([true, false, false])
    await web.start()
    await web.end('SIGTERM')
    expect(unwanted).to.deep.equal([])
  })

  for (const deed of ['stop', 'kill'])
    it(`reports that it has reached a fault point, and counts as not serving while it stays there (${deed})`, async () => {
      const web = open({ POINT: deed })
      await web.start()
      expect(await web.reachesPoint(5000)).to.include({ point: 'create.inserted', deed, began: 4711 })
      expect(web.isServing()).to.equal(false)
      web.thaw()
      expect(web.isServing()).to.equal(deed === 'stop')
      await web.end('SIGKILL')
    })
})
