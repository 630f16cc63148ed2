"""Networks of transformers and timm, made small, for hub_models.py.

MODELS has a function for each, which gives the module, its inputs, and the names of the sizes that
are open by input and dimension, or None: few layers, small widths, random weights.
"""

MODELS = {}  # name: function that gives (module, inputs, open sizes or None)
WORDS, WIDTH, LAYERS, LENGTH = 200, 128, 2, 24


def model(function):
    MODELS[function.__name__] = function
    return function


def tokens(*shape):
    import torch

    return torch.randint(3, WORDS, shape)


class Wrapped:
    """A network of transformers as a function of tensors that gives tensors."""

    def __new__(cls, network, names, pick=None):
        import torch

        class Program(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.net = network

            def forward(self, *inputs):
                out = self.net(**dict(zip(names, inputs)), return_dict=True)
                return pick(out) if pick else out[0]

        return Program()


def text(name, config, names=("input_ids",), pick=None, length=LENGTH, causal=True, **more):
    """A network on words: with a batch and a length that are open."""
    import transformers

    config = getattr(transformers, config)(
        vocab_size=WORDS, max_position_embeddings=64, use_cache=False,
        **({"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
            "intermediate_size": 4 * WIDTH} | more))
    network = getattr(transformers, name)(config)
    inputs = tuple(tokens(2, length) for _ in names)
    return Wrapped(network, names, pick), inputs, {i: ("batch", "length") for i in range(len(names))}


@model
def bert():
    return text("BertModel", "BertConfig")


@model
def roberta():
    return text("RobertaForSequenceClassification", "RobertaConfig", pad_token_id=1)


@model
def distilbert():
    return text("DistilBertForMaskedLM", "DistilBertConfig", dim=WIDTH, n_layers=LAYERS, n_heads=4,
                hidden_dim=4 * WIDTH)


@model
def albert():
    return text("AlbertModel", "AlbertConfig", embedding_size=64)


@model
def electra():
    return text("ElectraModel", "ElectraConfig", embedding_size=64)


@model
def deberta_v2():
    return text("DebertaV2Model", "DebertaV2Config", relative_attention=True, position_buckets=32,
                pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm", share_att_key=True)


@model
def mpnet():
    return text("MPNetModel", "MPNetConfig")


@model
def modernbert():
    return text("ModernBertModel", "ModernBertConfig", pad_token_id=0, bos_token_id=1, eos_token_id=2,
                cls_token_id=1, sep_token_id=2, local_attention=16)


@model
def gpt2():
    return text("GPT2LMHeadModel", "GPT2Config", n_embd=WIDTH, n_layer=LAYERS, n_head=4, n_positions=64)


@model
def gpt_neox():
    return text("GPTNeoXForCausalLM", "GPTNeoXConfig")


@model
def opt():
    return text("OPTForCausalLM", "OPTConfig", ffn_dim=4 * WIDTH, word_embed_proj_dim=WIDTH)


@model
def bloom():
    return text("BloomForCausalLM", "BloomConfig", n_layer=LAYERS, n_head=4)


@model
def llama():
    return text("LlamaForCausalLM", "LlamaConfig", num_key_value_heads=2)


@model
def mistral():
    return text("MistralForCausalLM", "MistralConfig", num_key_value_heads=2, sliding_window=8)


@model
def qwen2():
    return text("Qwen2ForCausalLM", "Qwen2Config", num_key_value_heads=2)


@model
def qwen3():
    return text("Qwen3ForCausalLM", "Qwen3Config", num_key_value_heads=2, head_dim=32)


@model
def gemma2():
    return text("Gemma2ForCausalLM", "Gemma2Config", num_key_value_heads=2, head_dim=32, sliding_window=8)


@model
def phi3():
    return text("Phi3ForCausalLM", "Phi3Config", num_key_value_heads=2, pad_token_id=0)


@model
def mixtral():
    return text("MixtralForCausalLM", "MixtralConfig", num_key_value_heads=2, num_local_experts=4)


@model
def mamba():
    return text("MambaForCausalLM", "MambaConfig", state_size=8)


@model
def t5():
    return text("T5ForConditionalGeneration", "T5Config", ("input_ids", "decoder_input_ids"), d_model=WIDTH,
                d_kv=32, d_ff=4 * WIDTH, num_layers=LAYERS, num_heads=4)


@model
def bart():
    return text("BartModel", "BartConfig", ("input_ids", "decoder_input_ids"), d_model=WIDTH,
                encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_ffn_dim=4 * WIDTH,
                decoder_ffn_dim=4 * WIDTH, encoder_attention_heads=4, decoder_attention_heads=4)


@model
def clip():
    import torch
    import transformers

    part = {"hidden_size": WIDTH, "intermediate_size": 4 * WIDTH, "num_hidden_layers": LAYERS,
            "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        text_config=part | {"vocab_size": WORDS, "max_position_embeddings": 64, "eos_token_id": WORDS - 1},
        vision_config=part | {"image_size": 64, "patch_size": 16}, projection_dim=64)
    network = transformers.CLIPModel(config)
    pick = lambda out: (out.logits_per_image, out.text_embeds, out.image_embeds)
    inputs = (tokens(3, LENGTH), torch.randn(2, 3, 64, 64))
    return Wrapped(network, ("input_ids", "pixel_values"), pick), inputs, {0: ("texts",), 1: ("batch",)}


@model
def whisper():
    import torch
    import transformers

    config = transformers.WhisperConfig(
        vocab_size=WORDS, d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=4 * WIDTH, decoder_ffn_dim=4 * WIDTH, num_mel_bins=40,
        max_source_positions=60, max_target_positions=32, use_cache=False, pad_token_id=0, bos_token_id=1,
        eos_token_id=2, decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    network = transformers.WhisperModel(config)
    return (Wrapped(network, ("input_features", "decoder_input_ids")),
            (torch.randn(2, 40, 120), tokens(2, 12)), {0: ("batch",), 1: ("batch", "length")})


@model
def wav2vec2():
    import torch
    import transformers

    config = transformers.Wav2Vec2Config(
        vocab_size=WORDS, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4,
        intermediate_size=4 * WIDTH, conv_dim=(64, 64, 64), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4)
    return Wrapped(transformers.Wav2Vec2Model(config), ("input_values",)), (torch.randn(2, 1600),), None


def picture(network, size=64, names=("pixel_values",), pick=None):
    import torch

    network = Wrapped(network, names, pick) if names else network
    return network, (torch.randn(2, 3, size, size),), {0: ("batch",)}


@model
def vit():
    import transformers

    return picture(transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4, intermediate_size=4 * WIDTH,
        image_size=64, patch_size=16)))


@model
def dinov2():
    import transformers

    return picture(transformers.Dinov2Model(transformers.Dinov2Config(
        hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=4, image_size=56, patch_size=14)), 56)


@model
def swin():
    import transformers

    return picture(transformers.SwinForImageClassification(transformers.SwinConfig(
        image_size=64, patch_size=2, embed_dim=32, depths=[2, 2], num_heads=[2, 4], window_size=4)))


@model
def segformer():
    import transformers

    return picture(transformers.SegformerForSemanticSegmentation(transformers.SegformerConfig(
        depths=[1, 1, 1, 1], hidden_sizes=[16, 32, 64, 96], num_attention_heads=[1, 2, 4, 4],
        decoder_hidden_size=64)))


@model
def detr():
    import transformers

    try:
        backbone = transformers.ResNetConfig(embedding_size=16, hidden_sizes=[16, 32], depths=[1, 1],
                                             layer_type="basic", out_features=["stage2"])
        network = transformers.DetrForObjectDetection(transformers.DetrConfig(
            use_timm_backbone=False, backbone_config=backbone, backbone=None, use_pretrained_backbone=False,
            d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, num_queries=8))
    except Exception as error:
        raise RuntimeError(f"not made: {error}") from error
    return picture(network, pick=lambda out: (out.logits, out.pred_boxes))


# More networks on words: class, configuration, what is not the same as in `text`.
TEXTS = {
    "falcon": ("FalconForCausalLM", "FalconConfig", {}),
    "gemma": ("GemmaForCausalLM", "GemmaConfig", {"num_key_value_heads": 2, "head_dim": 32}),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig",
               {"num_key_value_heads": 2, "head_dim": 32, "sliding_window": 8}),
    "phi": ("PhiForCausalLM", "PhiConfig", {}),
    "gptj": ("GPTJForCausalLM", "GPTJConfig", {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4, "rotary_dim": 16,
                                               "n_positions": 64}),
    "gpt_bigcode": ("GPTBigCodeForCausalLM", "GPTBigCodeConfig", {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4,
                                                                  "n_positions": 64}),
    "gpt_neo": ("GPTNeoForCausalLM", "GPTNeoConfig", {"num_layers": LAYERS, "num_heads": 4, "window_size": 8,
                                                      "attention_types": [[["global", "local"], 1]]}),
    "codegen": ("CodeGenForCausalLM", "CodeGenConfig", {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4,
                                                        "rotary_dim": 16, "n_positions": 64}),
    "stablelm": ("StableLmForCausalLM", "StableLmConfig", {"num_key_value_heads": 2}),
    "cohere": ("CohereForCausalLM", "CohereConfig", {"num_key_value_heads": 2}),
    "olmo2": ("Olmo2ForCausalLM", "Olmo2Config", {"num_key_value_heads": 2}),
    "granite": ("GraniteForCausalLM", "GraniteConfig", {"num_key_value_heads": 2}),
    "starcoder2": ("Starcoder2ForCausalLM", "Starcoder2Config", {"num_key_value_heads": 2}),
    "mpt": ("MptForCausalLM", "MptConfig", {"d_model": WIDTH, "n_heads": 4, "n_layers": LAYERS, "max_seq_len": 64}),
    "mamba2": ("Mamba2ForCausalLM", "Mamba2Config", {"state_size": 8, "num_heads": 8, "head_dim": 32, "n_groups": 2,
                                                     "chunk_size": 8}),
    "rwkv": ("RwkvForCausalLM", "RwkvConfig", {"attention_hidden_size": WIDTH}),
    "recurrent_gemma": ("RecurrentGemmaForCausalLM", "RecurrentGemmaConfig",
                        {"num_hidden_layers": 3, "lru_width": WIDTH, "attention_window_size": 8}),
    "qwen2_moe": ("Qwen2MoeForCausalLM", "Qwen2MoeConfig",
                  {"num_key_value_heads": 2, "num_experts": 4, "num_experts_per_tok": 2,
                   "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64}),
    "fnet": ("FNetModel", "FNetConfig", {}),
    "squeezebert": ("SqueezeBertModel", "SqueezeBertConfig", {"embedding_size": WIDTH}),
    "mobilebert": ("MobileBertModel", "MobileBertConfig", {"embedding_size": 32, "intra_bottleneck_size": 64}),
    "convbert": ("ConvBertModel", "ConvBertConfig", {"embedding_size": 64}),
    "layoutlm": ("LayoutLMModel", "LayoutLMConfig", {}),
    "deberta": ("DebertaModel", "DebertaConfig", {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}),
    "nystromformer": ("NystromformerModel", "NystromformerConfig", {"num_landmarks": 8, "segment_means_seq_len": 24}),
    "ctrl": ("CTRLLMHeadModel", "CTRLConfig", {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4, "dff": 4 * WIDTH}),
    "openai_gpt": ("OpenAIGPTLMHeadModel", "OpenAIGPTConfig", {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4}),
    "xlm": ("XLMModel", "XLMConfig", {"emb_dim": WIDTH, "n_layers": LAYERS, "n_heads": 4}),
    "esm": ("EsmModel", "EsmConfig", {"pad_token_id": 1, "position_embedding_type": "rotary"}),
    "longformer": ("LongformerModel", "LongformerConfig", {"attention_window": 8, "pad_token_id": 1}),
}

# Words to words: width, layers and heads have other names.
PAIRS = {
    "marian": ("MarianModel", "MarianConfig", {}),
    "mbart": ("MBartModel", "MBartConfig", {}),
    "pegasus": ("PegasusModel", "PegasusConfig", {}),
    "m2m_100": ("M2M100Model", "M2M100Config", {}),
    "blenderbot": ("BlenderbotModel", "BlenderbotConfig", {}),
    "led": ("LEDModel", "LEDConfig", {"attention_window": 8, "max_encoder_position_embeddings": 64,
                                      "max_decoder_position_embeddings": 64}),
}

# Networks on pictures: class, configuration, its options, size of the picture.
PART = {"hidden_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": 4, "intermediate_size": 4 * WIDTH}
PICTURES = {
    "deit": ("DeiTModel", "DeiTConfig", PART | {"image_size": 64}, 64),
    "beit": ("BeitModel", "BeitConfig", PART | {"image_size": 64, "use_relative_position_bias": True}, 64),
    "yolos": ("YolosForObjectDetection", "YolosConfig",
              PART | {"image_size": [64, 64], "num_detection_tokens": 8}, 64),
    "convnextv2": ("ConvNextV2Model", "ConvNextV2Config", {"depths": [1, 1, 1, 1],
                                                           "hidden_sizes": [16, 32, 48, 64]}, 64),
    "regnet": ("RegNetModel", "RegNetConfig", {"embedding_size": 16, "hidden_sizes": [16, 32, 48, 64],
                                               "depths": [1, 1, 1, 1], "groups_width": 16}, 64),
    "poolformer": ("PoolFormerModel", "PoolFormerConfig", {"depths": [1, 1, 1, 1],
                                                           "hidden_sizes": [16, 32, 48, 64]}, 64),
    "focalnet": ("FocalNetModel", "FocalNetConfig", {"image_size": 64, "embed_dim": 16, "depths": [1, 1],
                                                     "focal_levels": [2, 2], "focal_windows": [3, 3]}, 64),
    "glpn": ("GLPNForDepthEstimation", "GLPNConfig",
             {"depths": [1, 1, 1, 1], "hidden_sizes": [16, 32, 64, 96], "num_attention_heads": [1, 2, 4, 4],
              "decoder_hidden_size": 32}, 64),
    "vit_mae": ("ViTMAEModel", "ViTMAEConfig", PART | {"image_size": 64, "mask_ratio": 0.0}, 64),
    "siglip": ("SiglipVisionModel", "SiglipVisionConfig", PART | {"image_size": 64}, 64),
    "swin2sr": ("Swin2SRForImageSuperResolution", "Swin2SRConfig",
                {"image_size": 32, "embed_dim": 36, "depths": [2, 2], "num_heads": [2, 2], "window_size": 8}, 32),
    "upernet": ("UperNetForSemanticSegmentation", "UperNetConfig", {"hidden_size": 32, "auxiliary_channels": 16}, 64),
    "conditional_detr": ("ConditionalDetrForObjectDetection", "ConditionalDetrConfig",
                         {"d_model": 64, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
                          "decoder_attention_heads": 4, "encoder_ffn_dim": 128, "decoder_ffn_dim": 128,
                          "num_queries": 8}, 64),
    "depth_anything": ("DepthAnythingForDepthEstimation", "DepthAnythingConfig",
                       {"neck_hidden_sizes": [16, 16, 32, 32], "fusion_hidden_size": 32, "head_hidden_size": 16,
                        "reassemble_hidden_size": WIDTH}, 56),
}
BACKBONES = {  # of those that have one
    "upernet": ("ConvNextConfig", {"depths": [1, 1, 1, 1], "hidden_sizes": [16, 32, 48, 64],
                                   "out_features": ["stage1", "stage2", "stage3", "stage4"]}),
    "conditional_detr": ("ResNetConfig", {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1],
                                          "layer_type": "basic", "out_features": ["stage2"]}),
    "depth_anything": ("Dinov2Config", {"hidden_size": WIDTH, "num_hidden_layers": 4, "num_attention_heads": 4,
                                        "image_size": 56, "patch_size": 14, "reshape_hidden_states": False,
                                        "out_features": ["stage1", "stage2", "stage3", "stage4"]}),
}

# Networks on sound: class, configuration, its options, name of the input and its shape.
WAVE = PART | {"conv_dim": (64, 64, 64), "conv_stride": (5, 2, 2), "conv_kernel": (10, 3, 3),
               "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4, "vocab_size": WORDS}
SOUNDS = {
    "hubert": ("HubertModel", "HubertConfig", WAVE, "input_values", (2, 1600)),
    "wavlm": ("WavLMModel", "WavLMConfig", WAVE, "input_values", (2, 1600)),
    "unispeech": ("UniSpeechModel", "UniSpeechConfig", WAVE, "input_values", (2, 1600)),
    "sew": ("SEWModel", "SEWConfig", WAVE | {"squeeze_factor": 2}, "input_values", (2, 1600)),
    "data2vec_audio": ("Data2VecAudioModel", "Data2VecAudioConfig",
                       WAVE | {"num_conv_pos_embeddings": 2, "conv_pos_kernel_size": 5}, "input_values", (2, 1600)),
    "wav2vec2_bert": ("Wav2Vec2BertModel", "Wav2Vec2BertConfig",
                      PART | {"feature_projection_input_dim": 32, "conv_depthwise_kernel_size": 7},
                      "input_features", (2, 24, 32)),
    "encodec": ("EncodecModel", "EncodecConfig",
                {"num_filters": 4, "hidden_size": 16, "codebook_dim": 16, "codebook_size": 64,
                 "upsampling_ratios": [4, 2], "num_lstm_layers": 1}, "input_values", (1, 1, 640)),
    "ast": ("ASTModel", "ASTConfig", PART | {"max_length": 64, "num_mel_bins": 32}, "input_values", (2, 64, 32)),
    "clap": ("ClapAudioModelWithProjection", "ClapAudioConfig",
             {"spec_size": 64, "num_mel_bins": 16, "window_size": 4, "depths": [1, 1], "num_attention_heads": [2, 4],
              "patch_embeds_hidden_size": 32, "hidden_size": 64, "projection_dim": 32, "enable_fusion": False},
             "input_features", (2, 1, 64, 16)),
    "patchtst": ("PatchTSTModel", "PatchTSTConfig",
                 {"num_input_channels": 3, "context_length": 32, "patch_length": 8, "patch_stride": 8,
                  "d_model": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64},
                 "past_values", (2, 32, 3)),
    "patchtsmixer": ("PatchTSMixerModel", "PatchTSMixerConfig",
                     {"num_input_channels": 3, "context_length": 32, "patch_length": 8, "patch_stride": 8,
                      "d_model": 32, "num_layers": 2}, "past_values", (2, 32, 3)),
    "videomae": ("VideoMAEModel", "VideoMAEConfig", PART | {"image_size": 32, "num_frames": 4},
                 "pixel_values", (1, 4, 3, 32, 32)),
    "timesformer": ("TimesformerModel", "TimesformerConfig", PART | {"image_size": 32, "num_frames": 4},
                    "pixel_values", (1, 4, 3, 32, 32)),
}


def add_tables():
    """Makers for the rows of the tables above."""
    import torch
    import transformers

    def pair(name, config, options):
        parts = {f"{side}_{what}": n for side in ("encoder", "decoder")
                 for what, n in (("layers", LAYERS), ("ffn_dim", 4 * WIDTH), ("attention_heads", 4))}
        return text(name, config, ("input_ids", "decoder_input_ids"), d_model=WIDTH,
                    **(parts | {"pad_token_id": 1, "decoder_start_token_id": 2, "eos_token_id": 2} | options))

    def on_picture(row, name, config, options, size):
        if row in BACKBONES:
            kind, its = BACKBONES[row]
            options = options | {"backbone_config": getattr(transformers, kind)(**its)}
        network = getattr(transformers, name)(getattr(transformers, config)(**options))
        return picture(network, size)

    def on_sound(name, config, options, given, shape):
        network = getattr(transformers, name)(getattr(transformers, config)(**options))
        return Wrapped(network, (given,)), (torch.randn(shape),), {0: ("batch",)} if shape[0] > 1 else None

    for row, (name, config, options) in TEXTS.items():
        MODELS[row] = lambda n=name, c=config, o=options: text(n, c, **o)
    for row, its in PAIRS.items():
        MODELS[row] = lambda its=its: pair(*its)
    for row, its in PICTURES.items():
        MODELS[row] = lambda row=row, its=its: on_picture(row, *its)
    for row, its in SOUNDS.items():
        MODELS[row] = lambda its=its: on_sound(*its)


# Networks of timm: name there, size of the picture, arguments that make it smaller.
TIMM = {
    "resnet18": (64, {}),
    "resnet50": (64, {"layers": [1, 1, 1, 1]}),
    "resnext50_32x4d": (64, {"layers": [1, 1, 1, 1]}),
    "seresnet50": (64, {"layers": [1, 1, 1, 1]}),
    "wide_resnet50_2": (64, {"layers": [1, 1, 1, 1]}),
    "densenet121": (64, {"block_config": [2, 2, 2, 2]}),
    "mobilenetv2_050": (64, {}),
    "mobilenetv3_small_050": (64, {}),
    "mobilenetv4_conv_small_035": (64, {}),
    "mnasnet_050": (64, {}),
    "efficientnet_b0": (64, {}),
    "convnext_atto": (64, {"depths": [1, 1, 1, 1]}),
    "convnextv2_atto": (64, {"depths": [1, 1, 1, 1]}),
    "regnetx_002": (64, {}),
    "regnety_002": (64, {}),
    "inception_v3": (96, {}),
    "xception41": (64, {}),
    "ghostnet_050": (64, {}),
    "repvgg_a0": (64, {}),
    "hardcorenas_a": (64, {}),
    "dla34": (64, {}),
    "hrnet_w18_small": (64, {}),
    "cspdarknet53": (64, {}),
    "vit_tiny_patch16_224": (64, {"img_size": 64, "depth": 2}),
    "deit_tiny_distilled_patch16_224": (64, {"img_size": 64, "depth": 2}),
    "swin_tiny_patch4_window7_224": (56, {"img_size": 56, "embed_dim": 32, "depths": (2, 2), "num_heads": (2, 4)}),
    "swinv2_tiny_window8_256": (64, {"img_size": 64, "embed_dim": 32, "depths": (2, 2), "num_heads": (2, 4)}),
    "mixer_s32_224": (64, {"img_size": 64}),
    "mobilevit_xxs": (64, {}),
    "levit_128s": (64, {"img_size": 64}),
    "pvt_v2_b0": (64, {"depths": [1, 1, 1, 1]}),
    "maxvit_pico_rw_256": (64, {"img_size": 64}),
    "coatnet_0_rw_224": (64, {"img_size": 64}),
    "beit_base_patch16_224": (64, {"img_size": 64, "depth": 2, "embed_dim": 128, "num_heads": 4}),
    "eva02_tiny_patch14_224": (56, {"img_size": 56, "depth": 2}),
    "poolformer_s12": (64, {}),
    "edgenext_xx_small": (64, {}),
    "fastvit_t8": (64, {}),
    "cait_xxs24_224": (64, {"img_size": 64, "depth": 2}),
    "xcit_nano_12_p16_224": (64, {"img_size": 64, "depth": 2}),
    "res2net50_26w_4s": (64, {"layers": [1, 1, 1, 1]}),
    "resnest14d": (64, {}),
    "skresnet18": (64, {}),
}


def declare_torchvision():
    """Lets timm import torchvision where the compiled operators of that are missing.

    torchvision's packages on PyPI are for PyTorch with CUDA, and do not load beside PyTorch for processors
    alone. No network here calls an operator of theirs, but importing asks for the schemas of two.
    """
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for name in ("nms", "qnms"):
        if not hasattr(torch.ops.torchvision, name):
            library.define(name + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library


def add_timm():
    import timm

    def maker(name, size, options):
        def make():
            return picture(timm.create_model(name, **options), size, None)
        return make

    for name, (size, options) in TIMM.items():
        MODELS["timm " + name] = maker(name, size, options)
