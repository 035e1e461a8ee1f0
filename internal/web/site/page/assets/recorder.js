// Recording by voice, as an addition to choosing a file: what was recorded becomes the
// chosen file of the field, to be heard before it is sent.
const longest = 600; // s
const kinds = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'];

const clock = (s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;

export class Recorder {
  static possible = Boolean(navigator.mediaDevices?.getUserMedia && globalThis.MediaRecorder);

  constructor(input) {
    this.input = input;
    this.words = JSON.parse(input.dataset.recorder);
    this.box = document.createElement('div');
    this.box.className = 'recorder row';
    this.start = this.button('record', () => this.record());
    this.stop = this.button('stop', () => this.recorder.stop());
    this.discard = this.button('discard', () => this.clear());
    this.status = document.createElement('span');
    this.status.setAttribute('role', 'status');
    this.sound = document.createElement('audio');
    this.sound.controls = true;
    this.box.append(this.start, this.stop, this.status, this.sound, this.discard);
    input.after(this.box);
    input.form.addEventListener('reset', () => this.clear());
    input.addEventListener('change', () => this.show('idle'));
    this.show('idle');
  }

  button(key, act) {
    const b = document.createElement('button');
    b.type = 'button';
    b.className = 'btn';
    b.textContent = this.words[key];
    b.addEventListener('click', act);
    return b;
  }

  show(state) {
    this.start.hidden = state !== 'idle';
    this.stop.hidden = state !== 'running';
    this.sound.hidden = state !== 'ready';
    this.discard.hidden = state !== 'ready';
    this.status.textContent = state === 'ready' ? this.words.ready : '';
    if (state !== 'ready' && this.sound.src) {
      URL.revokeObjectURL(this.sound.src);
      this.sound.removeAttribute('src');
    }
  }

  clear() {
    this.input.value = '';
    this.show('idle');
  }

  async record() {
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (e) {
      this.status.textContent = e.name === 'NotFoundError' ? this.words.none : this.words.denied;
      return;
    }
    const parts = [];
    this.recorder = new MediaRecorder(stream, { mimeType: kinds.find((k) => MediaRecorder.isTypeSupported(k)) });
    this.recorder.ondataavailable = (e) => parts.push(e.data);
    this.recorder.onstop = () => {
      clearInterval(this.timer);
      for (const t of stream.getTracks()) t.stop();
      this.take(new Blob(parts, { type: this.recorder.mimeType }));
    };
    this.show('running');
    this.began = Date.now();
    this.timer = setInterval(() => this.tick(), 250);
    this.tick();
    this.recorder.start(1000);
  }

  // end stops a recording that is going on.
  end() {
    if (this.recorder?.state === 'recording') this.recorder.stop();
  }

  tick() {
    const s = (Date.now() - this.began) / 1000;
    const values = [clock(s), clock(longest)];
    this.status.textContent = this.words.running.replace(/%s/g, () => values.shift());
    if (s >= longest) this.end();
  }

  take(blob) {
    const type = blob.type.split(';')[0];
    const data = new DataTransfer();
    data.items.add(new File([blob], `recording.${type.split('/')[1]}`, { type }));
    this.input.files = data.files;
    this.show('ready');
    this.sound.src = URL.createObjectURL(blob);
  }
}

if (Recorder.possible) {
  for (const input of document.querySelectorAll('input[data-recorder]:not(#desk-file)')) new Recorder(input);
}
