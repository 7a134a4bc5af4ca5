import { act, read, type Scene, write } from '../scene.ts'

/** A publishable key, which anybody may have read on a page, tries what it may not: it only reads single intents. */
export async function overstep(scene: Scene): Promise<void> {
  const { place, chance } = scene
  const own = place.intents.length === 0 ? null : chance.pick(place.intents)
  const stranger = { ...scene, key: place.publishable }
  const expects = ['SECRET_KEY_REQUIRED']
  const idempotencyKey = scene.newKey()
  const create = () =>
    write(stranger, {
      what: 'create',
      method: 'POST',
      path: '/intents',
      idempotencyKey,
      body: { json: { amount: 100, label: place.marker, metadata: { key: idempotencyKey } } },
      otherBody: null,
      expects,
    })
  const list = () => read(stranger, 'list', '/intents', expects)
  const ofOwn =
    own === null
      ? []
      : [
          () => act(stranger, 'cancel', `/intents/${own.reference}/cancel`, 'POST', expects),
          () =>
            write(stranger, {
              what: 'refund',
              method: 'POST',
              path: `/intents/${own.reference}/refund`,
              idempotencyKey,
              body: { json: { amount: 1 } },
              otherBody: null,
              expects,
            }),
        ]
  await chance.pick([create, list, ...ofOwn])()
}
