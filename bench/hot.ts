import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

const SHOWN = 30

/** Prints the functions that each profiled process was busy in, with their shares of the busy time. */
export function printHot(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.cpuprofile')) printOne(join(folder, name))
}

function printOne(file: string): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const locations = new Map(profile.nodes.map((node) => [node.id, locationOf(node.callFrame)]))
  const timeByLocation = new Map<string, number>()
  profile.samples.forEach((id, index) => {
    const location = locations.get(id) ?? ''
    timeByLocation.set(location, (timeByLocation.get(location) ?? 0) + (profile.timeDeltas[index] ?? 0))
  })
  const idle = timeByLocation.get('(idle)') ?? 0
  timeByLocation.delete('(idle)')
  const busy = [...timeByLocation.values()].reduce((sum, each) => sum + each, 0)
  console.log(`\n${file}: busy ${Math.round((100 * busy) / (busy + idle))} % of the time; self time:`)
  const hottest = [...timeByLocation].sort(([, one], [, other]) => other - one).slice(0, SHOWN)
  for (const [location, micros] of hottest)
    console.log(`${((100 * micros) / busy).toFixed(1).padStart(6)} %  ${location}`)
}

function locationOf({ functionName, url, lineNumber }: CpuProfile['nodes'][0]['callFrame']): string {
  if (url === '') return functionName
  const file = url.startsWith('file:') ? relative('.', fileURLToPath(url)) : url
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}
