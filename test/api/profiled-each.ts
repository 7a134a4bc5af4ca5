import { type Profiled, profiled } from '../support/profiled.ts'
import type { Service } from '../support/service.ts'

/** What each of `works` resolves to, with the operations of MongoDB on this collection during it. */
export async function profiledEach<T>(service: Service, collection: string, works: (() => Promise<T>)[]) {
  const results: T[] = []
  const operations = await profiled(service, async () => {
    for (const work of works) {
      results.push(await work())
      await service.deps.mongo.collection('ends').findOne({})
    }
  })
  return results.map((result) => {
    const end = operations.findIndex(({ ns }) => ns.endsWith('.ends'))
    const ours: Profiled[] = operations.splice(0, end + 1).filter(({ ns }) => ns.endsWith(`.${collection}`))
    return { result, ours, examined: ours.reduce((sum, { docsExamined = 0 }) => sum + docsExamined, 0) }
  })
}
