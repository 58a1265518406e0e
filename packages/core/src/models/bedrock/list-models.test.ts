import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { accessKeyId, startAwsServer } from '@hermes/testing/aws/server.ts'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'
import { bedrock } from '../providers/bedrock.ts'

const never = new AbortController().signal

test('calls go to the region of the environment, else to that of the profile', async () => {
  const config = '[default]\nregion = eu-west-3\n[profile work]\nregion=ap-northeast-1 # far\n'
  await using home = await temporaryHome({ '.aws/config': config })
  const baseUrl = (variables: Readonly<Record<string, string>>) => bedrock(variables).baseUrl
  const host = (region: string): string => `https://bedrock-runtime.${region}.amazonaws.com`
  assert.equal(baseUrl({ HOME: home.dir }), host('eu-west-3'))
  assert.equal(baseUrl({ HOME: home.dir, AWS_PROFILE: 'work' }), host('ap-northeast-1'))
  assert.equal(baseUrl({ HOME: home.dir, AWS_PROFILE: 'work', AWS_REGION: 'us-west-2' }), host('us-west-2'))
  assert.equal(baseUrl({ HOME: home.path('nobody') }), host('us-east-1'))
  assert.equal(baseUrl({}), host('us-east-1'))
})

test('the profiles and models that an account can talk to are listed, signed with its keys', async () => {
  await using server = await startAwsServer({
    secretAccessKey: 'secret',
    models: {
      models: [
        { id: 'made.chat-v1:0' },
        { id: 'made.new-v2:0', inference: 'INFERENCE_PROFILE' },
        { id: 'made.old-v1:0', isLegacy: true },
        { id: 'made.picture-v1', output: 'IMAGE', inference: 'INFERENCE_PROFILE' },
      ],
      profiles: ['eu.made.new-v2:0', 'eu.made.picture-v1', 'global.other.model-v1:0'],
      pageSize: 2,
    },
  })
  const environment = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_BEDROCK: server.url,
  }
  const list = async (variables: Record<string, string>) => {
    // The schema's own output, frozen by the loader; only the type says so here.
    const config = configSchema.parse({}) as unknown as Config
    const models = createModels({ config, environment: variables, log: silentLogger, localServers: [] })
    const { provider } = await models.resolve('bedrock:made.chat-v1:0', never)
    return (await provider.models?.(never))?.map(({ id }) => id)
  }
  assert.deepEqual(await list(environment), ['eu.made.new-v2:0', 'global.other.model-v1:0', 'made.chat-v1:0'])
  await assert.rejects(list({ ...environment, AWS_SECRET_ACCESS_KEY: 'wrong' }), { code: 'auth' })
})
