import { choice, decimal, flag, section, text, whole } from '../values.ts'

const ownSpeed = () => decimal(0, { min: 0 }).describe('Speed; tts.speed when 0.')

/** Speech in and out. */
export const voiceSettings = {
  tts: section({
    provider: text('edge').describe(
      'Speech service: edge, elevenlabs, openai, minimax, mistral, neutts, local_command.',
    ),
    speed: decimal(1, { min: 0.25, max: 4 }).describe('Speed of speech.'),
    edge: section({ voice: text('en-US-AriaNeural').describe('Voice.'), speed: ownSpeed() }).describe('Edge voices.'),
    elevenlabs: section({
      voice_id: text('pNInz6obpgDQGcFmaJgB').describe('Voice.'),
      model_id: text('eleven_multilingual_v2').describe('Model.'),
      streaming_model_id: text().describe('Model for streaming.'),
    }).describe('ElevenLabs.'),
    openai: section({
      model: text('gpt-4o-mini-tts').describe('Model.'),
      voice: text('alloy').describe('Voice.'),
      speed: ownSpeed(),
      base_url: text().describe('Endpoint.'),
    }).describe('OpenAI speech.'),
    minimax: section({
      model: text().describe('Model.'),
      voice_id: text().describe('Voice.'),
      speed: ownSpeed(),
      vol: decimal(1, { min: 0 }).describe('Volume.'),
      pitch: whole(0).describe('Pitch.'),
      base_url: text().describe('Endpoint.'),
    }).describe('MiniMax speech.'),
    mistral: section({
      model: text('voxtral-mini-tts-2603').describe('Model.'),
      voice_id: text('c69964a6-ab8b-4f8a-9465-ec0925096ec8').describe('Voice.'),
    }).describe('Mistral speech.'),
    neutts: section({
      ref_audio: text().describe('Sample of the voice.'),
      ref_text: text().describe('What the sample says.'),
      model: text('neuphonic/neutts-air-q4-gguf').describe('Model.'),
      device: text('cpu').describe('Where it runs.'),
    }).describe('NeuTTS, on this machine.'),
  }).describe('Speech out.'),
  stt: section({
    enabled: flag(true).describe('Turn voice messages into text.'),
    provider: choice(['auto', 'local', 'local_command', 'groq', 'openai', 'mistral'], 'auto').describe(
      'Speech recognition: auto takes this machine, then the first service that has a key.',
    ),
    local: section({
      model: text('base').describe('Whisper model.'),
      language: text().describe('Language; found by itself when empty.'),
    }).describe('Recognition on this machine.'),
    openai: section({
      model: text('whisper-1').describe('Model.'),
      api_key: text().describe('Key; better kept in .env.'),
      base_url: text().describe('Endpoint.'),
    }).describe('OpenAI recognition.'),
    groq: section({ model: text('whisper-large-v3-turbo').describe('Model.') }).describe('Groq recognition.'),
    mistral: section({ model: text('voxtral-mini-latest').describe('Model.') }).describe('Mistral recognition.'),
  }).describe('Speech in.'),
  voice: section({
    record_key: text('ctrl+b').describe('Key that starts and stops recording.'),
    max_recording_seconds: whole(120, { min: 1 }).describe('Longest recording, seconds.'),
    auto_tts: flag(false).describe('Speak every answer.'),
    silence_threshold: whole(200, { min: 0 }).describe('Loudness below which it is silent.'),
    silence_duration: decimal(3, { min: 0 }).describe('Seconds of silence that end a recording.'),
  }).describe('Voice in the terminal.'),
}
